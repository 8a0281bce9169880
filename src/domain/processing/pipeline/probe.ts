import { checkDecodable } from '../../../platform/media/decodable.ts'
import { probe } from '../../../platform/media/probe.ts'
import type { Run } from '../run/run.ts'

/**
 * Examines the recording. A recording in which no run has found sound is decoded for a moment, too.
 * @throws MediaError for a file that is not audio
 */
export async function probeRecording(run: Run): Promise<void> {
  const { tools } = run.services
  run.probe = await probe(tools, run.file, run.signal)
  if (run.track.info === null) await checkDecodable(tools, run.file, run.probe, run.folder, run.signal)
}
