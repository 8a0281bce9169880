import type { Transaction } from '../../platform/db/client.ts'
import type { Variant } from '../../platform/db/generated/client/client.ts'
import type { VariantType } from '../../platform/db/generated/client/enums.ts'
import { insertVariant, resolveProps } from './service.ts'

/** The organization-wide variants of a new organization. */
const standardVariants: [index: string, type: VariantType, props: object][] = [
  ['hq', 'transcode', { codec: 'aac', bitrate: 192 }],
  ['lq', 'transcode', { codec: 'opus', bitrate: 64 }],
  ['preview', 'preview', { codec: 'mp3', bitrate: 128, preview_seconds: 30 }],
  ['waveform', 'levels', { num_samples: 320 }],
  ['original', 'original', {}],
  ['cover', 'cover', {}],
]

/** Creates the standard variants of an organization. */
export async function insertStandardVariants(tx: Transaction, organizationId: string): Promise<Variant[]> {
  const inserted: Variant[] = []
  for (const [index, type, props] of standardVariants) {
    const variant = { organizationId, trackId: null, type, index, props: resolveProps(type, props) }
    inserted.push(await insertVariant(tx, variant))
  }
  return inserted
}
