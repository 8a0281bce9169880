import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import { Prisma, type Variant } from '../../platform/db/generated/client/client.ts'
import { DELIVERY_SECONDS } from '../delivery/token.ts'
import { adopt, dataAt, discard, storedKeys } from '../track/file/bytes.ts'
import type { DoneFile, LoadedTrack } from './run/run.ts'

interface Place {
  /** The row. */
  where: Prisma.TrackFileWhereInput
  /** With the recording that the file was made from. */
  track: Pick<LoadedTrack, 'basePath' | 'sourceSha256'>
  /** Its current state, locked: its index is a part of the file's address, even if it changed during the run. */
  variant: Pick<Variant, 'index'>
  /** Parameters that were requested. */
  recipe: object
}

/** Clients may still read replaced bytes: an address is valid for this time. */
export const REPLACED_KEPT_MS = DELIVERY_SECONDS * 1000

/**
 * Names a stored file in its row. The replaced bytes are removed later.
 * @returns false when the row was deleted; the stored bytes are then removed
 */
export async function putFile(
  services: Services,
  tx: Transaction,
  { storageKey, extension, data, note, props, size, sha256, contentType, fileName }: DoneFile,
  { where, track, variant: { index }, recipe }: Place,
): Promise<boolean> {
  const before = await tx.trackFile.findFirst({ where })
  if (!before) return false
  const path = `${track.basePath}_${index}.${extension}`
  const placed = dataAt(data, path)
  const { count } = await tx.trackFile.updateMany({
    where,
    data: {
      state: 'done',
      path,
      storageKey,
      index,
      size,
      sha256,
      contentType,
      fileName,
      props: (props ?? recipe) as Prisma.InputJsonObject,
      recipe: recipe as Prisma.InputJsonObject,
      data: placed === null ? Prisma.DbNull : (placed as Prisma.InputJsonObject),
      statusCode: note?.code ?? null,
      statusText: note?.text ?? null,
      ffmpegVersion: services.tools.version,
      sourceSha256: track.sourceSha256,
      completedAt: services.clock(),
    },
  })
  if (count === 0) return false
  const keys = storedKeys({ storageKey, data: placed as Prisma.JsonObject | null })
  await adopt(tx, keys)
  const replaced = storedKeys(before).filter((key) => !keys.includes(key))
  await discard(tx, replaced, new Date(services.clock().getTime() + REPLACED_KEPT_MS))
  return true
}
