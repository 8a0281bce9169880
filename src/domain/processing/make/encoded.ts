import type { FileWithVariant } from '../../track/service.ts'
import type { AudioPlan } from '../../variant/types/type.ts'
import { type Encoding, encodedName, type Run } from '../run/run.ts'

/**
 * Returns an audio file that the run has encoded.
 * @throws MediaError of its encoder
 */
export function findEncoded(run: Run, row: FileWithVariant, plan: AudioPlan): Encoding & { state: 'encoded' } {
  const encoding = run.encodings.get(encodedName(row, plan))
  if (!encoding) throw new Error('the file was not encoded')
  if (encoding.state === 'failed') throw encoding.error
  return encoding
}
