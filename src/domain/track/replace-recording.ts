import { extname } from 'node:path'
import { z } from 'zod'
import type { Services } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import { Prisma, type Track, type TrackFile, type Variant } from '../../platform/db/generated/client/client.ts'
import { enqueue, type TaskDefinition } from '../../platform/jobs/task.ts'
import { recordEvent } from '../event/service.ts'
import { readTrackTags } from './catalog/effective.ts'
import { dataAt } from './file/bytes.ts'
import { recordFileEvents, recordStatusEvent, toContent, toEventSubject } from './record-events.ts'
import { type FileWithVariant, withDomain, withFiles } from './service.ts'
import { isProcessing } from './states.ts'

/** Status code of a new recording that lacks a file that the track has, because the file failed. */
export const REPLACEMENT_INCOMPLETE = 'replacement_incomplete'

const missing = z.object({ trackId: z.string(), variantIds: z.array(z.string()) })

/** Queues the files that a track lacks after the change of its recording. */
export const makeMissingFiles: TaskDefinition<z.infer<typeof missing>> = {
  name: 'make_missing_files',
  payload: missing,
  maxAttempts: 25,
}

type WithFiles = Track & { files: FileWithVariant[] }

/**
 * Ends the processing of a new recording, whose row has reached its last state, in the caller's transaction. A recording
 * that plays becomes that of its track. Any other one leaves the track as it is, and is removed after the grace period.
 */
export async function endReplacement(services: Services, tx: Transaction, replacement: WithFiles): Promise<void> {
  const { id, replacesId } = replacement
  if (replacesId === null) throw new Error(`track ${id} replaces no recording`)
  const track = await tx.track.findUniqueOrThrow({ where: { id: replacesId }, include: withFiles })
  const reason = findFailure(track, replacement)
  if (!reason) return switchRecording(services, tx, { track, other: replacement, isRestored: false })
  const status = replacement.status === 'init_error' ? 'init_error' : 'error'
  await tx.track.update({ where: { id }, data: { ...reason, status, deletedAt: services.clock() } })
  await recordEvent(tx, track.organizationId, 'track.replacement_failed', {
    ...toEventSubject(track),
    replacement_id: id,
    file_name: replacement.sourceName,
    status_code: reason.statusCode,
    status_text: reason.statusText,
  })
}

/** Returns why a new recording cannot become that of its track. Null if it can: no file that the track has is lost. */
function findFailure(track: WithFiles, { status, statusCode, statusText, files }: WithFiles) {
  if (status === 'error' || status === 'init_error') return { statusCode, statusText }
  const doneIds = new Set(track.files.filter(({ state }) => state === 'done').map(({ variantId }) => variantId))
  const lostFile = files.find(({ state, variantId }) => state === 'failed' && doneIds.has(variantId))
  if (!lostFile) return null
  const text = `The file of the variant ${lostFile.variant.index} could not be made from the new recording. ${lostFile.statusText}`
  return { statusCode: REPLACEMENT_INCOMPLETE, statusText: text }
}

/** Columns that describe a recording and its processing. They change places with the recording. */
const recordingColumns = [
  'status',
  'statusCode',
  'statusText',
  'fileName',
  'sourceName',
  'durationSeconds',
  'info',
  'analysis',
  'quality',
  'sourceChapters',
  'sourceTags',
  'uploadCompletedAt',
  'announcedBytes',
  'uploadMetadata',
  'sourceKey',
  'sourceSha256',
  'sourceBytes',
  'filesCompletedAt',
] as (keyof Track)[]
const statusColumns: readonly (keyof Track)[] = ['status', 'statusCode', 'statusText']
const jsonColumns: readonly (keyof Track)[] = ['info', 'analysis', 'quality', 'sourceChapters', 'sourceTags']

function readColumns(track: Track, columns: readonly (keyof Track)[]): Prisma.TrackUncheckedUpdateInput {
  return Object.fromEntries(
    columns.map((name) => [name, track[name] === null && jsonColumns.includes(name) ? Prisma.DbNull : track[name]]),
  )
}

interface Switch {
  track: WithFiles
  /** The row with the recording that the track gets. It has the one of the track afterwards. */
  other: WithFiles
  isRestored: boolean
}

/**
 * Exchanges the recordings of a track and of another row, with everything that was made from them, in the caller's
 * transaction, which has locked both rows and the variants of their files. The files of the track keep their IDs and
 * addresses. Names, metadata and an uploaded cover stay.
 */
export async function switchRecording(services: Services, tx: Transaction, { track, other, isRestored }: Switch) {
  const { id } = track
  const now = services.clock()
  // One after the other: only one row may name an object.
  const noRecording = { uploadCompletedAt: null, sourceKey: null, sourceBytes: null }
  await tx.track.update({ where: { id: other.id }, data: noRecording })
  const { changedIds, missingIds, isCoverSwitched } = await switchFiles(tx, track, other)
  const isBusy = isProcessing(track.status)
  const columns = isBusy ? recordingColumns.filter((name) => !statusColumns.includes(name)) : recordingColumns
  const theme = (row: Track) => (isCoverSwitched ? { theme: row.theme as Prisma.InputJsonArray } : {})
  await tx.track.update({
    where: { id },
    data: { ...readColumns(other, columns), ...(!isRestored && keepNames(track, other)), ...theme(other) },
  })
  const formerColumns = { sourceName: track.sourceName ?? track.fileNameOriginal, replacedAt: now, deletedAt: now }
  await tx.track.update({
    where: { id: other.id },
    data: { ...readColumns(track, columns), ...formerColumns, ...theme(track) },
  })
  if (missingIds.length > 0) {
    const payload = { trackId: id, variantIds: missingIds }
    await enqueue(tx, makeMissingFiles, payload, { jobKey: `missing:${Bun.randomUUIDv7()}` })
  }
  await recordFileEvents(services, tx, id, changedIds)
  const changed = await tx.track.findUniqueOrThrow({ where: { id }, include: { ...withDomain, ...withFiles } })
  if (changed.status !== track.status) await recordStatusEvent(services, tx, id, track.status)
  await recordEvent(tx, track.organizationId, 'track.recording_replaced', {
    is_restored: isRestored,
    ...toContent(services, changed),
  })
}

/**
 * A track keeps the names and numbers that its tags had given it, when its new recording has no such tags. One that is
 * restored returns to what it was.
 */
function keepNames(track: Track, other: Track): Prisma.TrackUncheckedUpdateInput {
  const { title, artist, ...others } = readTrackTags(track.info)
  const formerValues: Partial<Track> = { playerTitle: title, playerSubtitle: artist, ...others }
  const next = readTrackTags(other.info)
  const nextValues: Partial<Track> = { ...next, playerTitle: next.title, playerSubtitle: next.artist }
  const isSet = (name: keyof Track) => (name === 'playerTitle' ? track.playerTitle?.trim() : track[name] !== null)
  const names = Object.keys(formerValues) as (keyof Track)[]
  return Object.fromEntries(
    names
      .filter((name) => formerValues[name] !== null && nextValues[name] === null && !isSet(name))
      .map((name) => [name, formerValues[name]]),
  )
}

/**
 * Exchanges the files of two rows. A cover stays if it was uploaded, or if the other recording has none.
 * @returns IDs of the files of the track that changed, and of variants whose files the other recording lacks
 */
async function switchFiles(tx: Transaction, track: WithFiles, other: WithFiles) {
  const isDone = (file?: FileWithVariant) => file?.state === 'done'
  const findPair = (variantId: string) => ({
    current: track.files.find((file) => file.variantId === variantId),
    next: other.files.find((file) => file.variantId === variantId),
  })
  const isCover = ({ variant }: FileWithVariant) => variant.type === 'cover'
  const isKept = ({ current, next }: ReturnType<typeof findPair>) =>
    [current, next].some((file) => file && isCover(file)) && (track.coverUploadedAt !== null || !isDone(next))
  const variantIds = [...new Set([...track.files, ...other.files].map(({ variantId }) => variantId))]
  const pairs = variantIds.map(findPair)
  const switched = pairs.filter((pair) => !isKept(pair))
  // Of no recording, as an uploaded one: it is not stale.
  const keptIds = pairs.filter(isKept).flatMap(({ current }) => current?.id ?? [])
  await tx.trackFile.updateMany({ where: { id: { in: keptIds } }, data: { sourceSha256: null } })
  await tx.trackFile.deleteMany({ where: { id: { in: switched.flatMap(({ next }) => next?.id ?? []) } } })
  const changedIds: string[] = []
  for (const { current, next } of switched) {
    if (next) changedIds.push(current?.id ?? next.id)
    if (current && next) await tx.trackFile.update({ where: { id: current.id }, data: placeFile(next, track) })
    else if (current) await tx.trackFile.delete({ where: { id: current.id } })
    else if (next) await tx.trackFile.create({ data: { ...rowAt(next, track), id: next.id } })
  }
  // A file that a job was about to make is not a former one.
  const formerFiles = switched.flatMap(({ current }) =>
    current && (current.state === 'done' || current.state === 'failed') ? current : [],
  )
  await tx.trackFile.createMany({ data: formerFiles.map((file) => rowAt(file, other)) })
  return {
    changedIds,
    missingIds: switched
      .filter(({ current, next }) => current && !next && !isCover(current))
      .flatMap(({ current }) => current?.variantId ?? []),
    isCoverSwitched: switched.some(({ next }) => next && isCover(next)),
  }
}

/** A new row with the content of a file. */
const rowAt = (file: FileWithVariant, { id, organizationId, basePath }: Track) => ({
  ...placeFile(file, { basePath }),
  organizationId,
  trackId: id,
  variantId: file.variantId,
})

/** The content of a file, at the address that the current index of its variant has below a track. */
function placeFile(file: TrackFile & { variant: Variant }, { basePath }: Pick<Track, 'basePath'>) {
  const { state, statusCode, statusText, storageKey, fileName, contentType, size, sha256, ffmpegVersion } = file
  const { index } = file.variant
  const path = file.path === null ? null : `${basePath}_${index}${extname(file.path)}`
  const data = path === null ? null : dataAt(file.data as object | null, path)
  return {
    state,
    statusCode,
    statusText,
    storageKey,
    fileName,
    contentType,
    size,
    sha256,
    ffmpegVersion,
    path,
    index: path === null ? null : index,
    data: data === null ? Prisma.DbNull : (data as Prisma.InputJsonObject),
    recipe: file.recipe === null ? Prisma.DbNull : (file.recipe as Prisma.InputJsonObject),
    props: file.props as Prisma.InputJsonObject,
    sourceSha256: file.sourceSha256,
    completedAt: file.completedAt,
  }
}
