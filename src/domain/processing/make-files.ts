import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import type { ThemeColor } from '../../platform/media/cover/theme.ts'
import { checkOutput, type Decoded, encodeAll } from '../../platform/media/encode.ts'
import type { Analysis } from '../../platform/media/meter/sound.ts'
import { setExactLength } from '../../platform/media/mp4-length.ts'
import { MediaError } from '../../platform/media/run.ts'
import { extractCover } from '../../platform/media/tags/extract.ts'
import { type FileTags, writeTags } from '../../platform/media/tags/write.ts'
import { type FileWithVariant, sourceKey } from '../track/service.ts'
import type { FilePlan } from '../variant/types/type.ts'
import { type AudioJob, planOf } from './audio-job.ts'
import { deliveredTranscode } from './delivered.ts'
import { encodeAudio } from './encode-audio.ts'
import { makeCover } from './make-cover.ts'
import { makeLevels } from './make-levels.ts'
import { makeWaveformImage, makeWaveformVideo } from './make-waveform.ts'
import { stepsOf } from './progress.ts'
import { claimKey, digest, type FileResult, keep, type Source } from './source.ts'

export interface RunResult {
  results: Map<string, FileResult>
  durationSeconds: number
  theme: ThemeColor[] | null
  /** Null where it was not asked for. */
  analysis: Analysis | null
}

/**
 * Makes files of a track: all audio in one decode, then what is derived from it. A file that cannot be made is a
 * result, not an exception.
 * @param onFallback called when the one pass fails and files are made one by one
 * @throws MediaError where the recording cannot be decoded, or broke off
 */
export async function makeFiles(
  services: Services,
  source: Source,
  files: readonly FileWithVariant[],
  onFallback: () => Promise<void>,
): Promise<RunResult> {
  const results = new Map<string, FileResult>()
  const { probe, report } = source
  // Where the container claims nothing, clips can only be placed after a first look.
  const claimed = probe.durationSeconds ?? (await encodeAll(services.tools, source, [])).decoded.durationSeconds
  const plans = new Map(files.map((file) => [file, planOf(file, probe, claimed)]))
  const steps = stepsOf(
    [...plans.values()].map(({ kind }) => kind),
    report,
  )
  const onSeconds = (seconds: number) => claimed > 0 && steps.pass(seconds / claimed)
  const { decoded, made, failures } = await encodeAudio(services, source, files, claimed, { onSeconds, onFallback })
  for (const file of files) {
    const error = failures.get(file.id)
    if (error) results.set(file.id, failure(services, source, file, error))
  }
  const pictures = embeddedPicture(services, source)
  for (const job of made) {
    results.set(job.file.id, await keepAudio(services, source, job, decoded, pictures))
    steps.made('audio')
  }
  let theme: ThemeColor[] | null = null
  for (const [file, plan] of plans) {
    if (plan.kind === 'audio') continue
    const { result, colors } = await makeOther(services, source, file, plan, decoded, results)
    results.set(file.id, result)
    steps.made(plan.kind)
    theme = colors ?? theme
  }
  return { results, durationSeconds: decoded.durationSeconds, theme, analysis: decoded.analysis }
}

async function keepAudio(
  services: Services,
  source: Source,
  job: AudioJob,
  decoded: Decoded,
  picture: () => Promise<FileTags['cover']>,
): Promise<FileResult> {
  const { file, plan, output } = job
  const local = join(source.folder, output.fileName)
  try {
    const { extension, contentType, resolved, note, keeps, codec } = plan
    if (codec === 'aac') await setExactLength(local)
    const tags = keeps.tags ? source.probe.tags : null
    const gain = job.loudness ?? loudnessOf(decoded.analysis)
    await writeTags(local, codec, { tags, cover: keeps.cover ? await picture() : null, gain })
    await checkOutput(services.tools, local, output, decoded.durationSeconds, source.signal)
    const kept = await keep(services, source, file, local, extension, contentType)
    return { ...kept, data: plan.data(), props: { ...(file.props as object), ...resolved }, note }
  } catch (error) {
    return failure(services, source, file, error)
  }
}

function loudnessOf(analysis: Analysis | null) {
  const integratedLufs = analysis?.integrated_lufs ?? null
  return integratedLufs === null ? null : { integratedLufs, truePeakDbtp: analysis?.true_peak_dbtp ?? null }
}

/** The recording's own picture, taken out once, when the first file wants it. */
function embeddedPicture({ tools }: Services, { file, probe, folder, signal }: Source) {
  let found: Promise<FileTags['cover']> | undefined
  return () => (found ??= extractCover(tools, file, probe, folder, signal))
}

async function makeOther(
  services: Services,
  source: Source,
  file: FileWithVariant,
  plan: Exclude<FilePlan, { kind: 'audio' }>,
  decoded: Decoded,
  results: RunResult['results'],
): Promise<{ result: FileResult; colors?: ThemeColor[] }> {
  try {
    if (plan.kind === 'original') return { result: await makeOriginal(services, source, file) }
    if (plan.kind === 'cover') return await makeCover(services, source, file)
    return { result: await makeOfSignal(services, source, file, plan, decoded, results) }
  } catch (error) {
    return { result: failure(services, source, file, error) }
  }
}

/** What is drawn from the decoded signal. */
async function makeOfSignal(
  services: Services,
  source: Source,
  file: FileWithVariant,
  plan: FilePlan & { kind: 'levels' | 'waveform_image' | 'waveform_video' },
  decoded: Decoded,
  results: RunResult['results'],
): Promise<FileResult> {
  if (plan.kind === 'levels') {
    return makeLevels(services, source, file, plan, decoded, await deliveredTranscode(services, source, results))
  }
  if (plan.kind === 'waveform_image') return makeWaveformImage(services, source, file, plan, decoded)
  return makeWaveformVideo(services, source, file, plan, decoded)
}

/** Content types of originals that browsers may be told; anything else is bytes. */
const originalTypes: Record<string, string> = {
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  aif: 'audio/aiff',
  aiff: 'audio/aiff',
  wma: 'audio/x-ms-wma',
}

async function makeOriginal(services: Services, source: Source, file: FileWithVariant): Promise<FileResult> {
  const named = /\.([A-Za-z0-9]{1,8})$/.exec(source.fileName)?.[1]?.toLowerCase()
  const extension = named && named in originalTypes ? named : 'bin'
  const storageKey = await claimKey(services, source, file, extension)
  await services.storage.copy(sourceKey(source.organizationId, source.trackId), storageKey)
  const { size, sha256 } = source.received ?? (await digest(source.file))
  const contentType = originalTypes[extension] ?? 'application/octet-stream'
  const { codec, bitRate } = source.probe
  // `props` of an audio file always has codec and bitrate (contract, section 3).
  const props = { codec, bitrate: bitRate === null ? null : Math.round(bitRate / 1000) }
  const { fileName } = source
  return { state: 'done', storageKey, extension, size, sha256, contentType, fileName, data: null, props }
}

function failure(services: Services, source: Source, file: FileWithVariant, error: unknown): FileResult {
  if (!(error instanceof MediaError)) throw error
  const { code, detail } = error
  services.log.warn({ trackId: source.trackId, variant: file.variant.index, code, detail }, 'a file could not be made')
  return { state: 'failed', code, text: error.message }
}
