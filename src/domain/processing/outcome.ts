import type { Transaction } from '../../platform/db/client.ts'
import { undeletedFiles } from '../track/service.ts'
import { playableTypes } from '../variant/types/index.ts'
import type { Note } from '../variant/types/type.ts'

/** `ready` when no file failed, else `incomplete` while a file plays, else `error` (contract, section 4). */
export async function readOutcome(tx: Transaction, trackId: string): Promise<'ready' | 'incomplete' | 'error'> {
  const files = await tx.trackFile.findMany({
    where: { trackId, ...undeletedFiles },
    include: { variant: { select: { type: true } } },
  })
  if (files.every((file) => file.state === 'done')) return 'ready'
  const plays = files.some(({ state, variant }) => state === 'done' && playableTypes.includes(variant.type))
  return plays ? 'incomplete' : 'error'
}

export interface OutcomeReason {
  statusCode: string
  statusText: string
}

const noReason = { statusCode: null, statusText: null }

const nothingPlays: OutcomeReason = {
  statusCode: 'no_playable_file',
  statusText: 'No playable file could be generated from the recording.',
}

export const noVariants: OutcomeReason = {
  statusCode: 'no_variants',
  statusText: 'No file was made: the organization has no variants. Create a variant and apply it to this track.',
}

/**
 * The reason that a track shows with its outcome.
 * @param hasFiles whether the run had files to make
 * @param note on the recording, for a track that plays
 */
export async function reasonFor(
  tx: Transaction,
  trackId: string,
  outcome: Awaited<ReturnType<typeof readOutcome>>,
  { hasFiles = false, note = null }: { hasFiles?: boolean; note?: Note | null } = {},
): Promise<OutcomeReason | typeof noReason> {
  if (outcome === 'error') return nothingPlays
  if (note) return { statusCode: note.code, statusText: note.text }
  if (hasFiles) return noReason
  const file = await tx.trackFile.findFirst({ where: { trackId, ...undeletedFiles }, select: { id: true } })
  return file ? noReason : noVariants
}
