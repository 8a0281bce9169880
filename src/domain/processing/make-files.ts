import { join } from 'node:path'
import type { Services } from '../../platform/context.ts'
import type { ThemeColor } from '../../platform/media/cover/theme.ts'
import { type AudioOutput, checkOutput, type Decoded, encodeAll } from '../../platform/media/encode.ts'
import { measureLevels } from '../../platform/media/levels.ts'
import type { Probe } from '../../platform/media/probe.ts'
import { MediaError } from '../../platform/media/run.ts'
import { type FileWithVariant, sourceKey } from '../track/service.ts'
import { variantType } from '../variant/types/index.ts'
import type { FilePlan } from '../variant/types/type.ts'
import { makeCover } from './make-cover.ts'
import { makeWaveformImage, makeWaveformVideo } from './make-waveform.ts'
import { stepsOf } from './progress.ts'
import { claimKey, digest, type FileResult, keep, type Source } from './source.ts'

export interface RunResult {
  results: Map<string, FileResult>
  durationSeconds: number | null
  theme: ThemeColor[] | null
}

/** Clips are placed by what the container claims; where the decoder shows it was wrong by more, they are made anew. */
const CLIP_TOLERANCE_SECONDS = 0.02

interface AudioJob {
  file: FileWithVariant
  plan: FilePlan & { kind: 'audio' }
  output: AudioOutput
}

/**
 * Makes files of a track: all audio in one decode, then what is derived from it. A file that cannot be made is a
 * result, not an exception; thrown is what may go better next time, and `truncated` for a source that broke off.
 * @param onFallback called once when the one pass fails and the files are made one by one
 */
export async function makeFiles(
  services: Services,
  source: Source,
  files: readonly FileWithVariant[],
  onFallback: () => Promise<void>,
): Promise<RunResult> {
  const results = new Map<string, FileResult>()
  // Where the container claims nothing, clips can only be placed after a first look.
  const claimed = source.probe.durationSeconds ?? (await decodedLength(services, source))
  const steps = stepsOf(
    files.map((file) => planOf(file, source.probe, claimed).kind),
    source.report,
  )
  const onSeconds = (seconds: number) => claimed > 0 && steps.pass(seconds / claimed)
  let audio = files.flatMap((file) => audioJob(file, source.probe, claimed))
  let decoded = await decodeAll(services, source, audio, results, onFallback, onSeconds)
  if (decoded) checkWhole(source.probe, decoded.durationSeconds)
  if (decoded && Math.abs(decoded.durationSeconds - claimed) > CLIP_TOLERANCE_SECONDS) {
    const truth = decoded.durationSeconds
    audio = audio.map((job) => audioJob(job.file, source.probe, truth)[0] ?? job)
    const clips = audio.filter((job) => job.output.clip && !results.has(job.file.id))
    if (clips.length > 0) decoded = (await decodeAll(services, source, clips, results, async () => {})) ?? decoded
  }
  for (const job of audio) {
    if (results.has(job.file.id) || !decoded) continue
    results.set(job.file.id, await keepAudio(services, source, job, decoded.durationSeconds))
    steps.made('audio')
  }
  let theme: ThemeColor[] | null = null
  for (const file of files) {
    const plan = planOf(file, source.probe, claimed)
    if (plan.kind === 'audio') continue
    const { result, colors } = await makeOther(services, source, file, plan, decoded)
    results.set(file.id, result)
    steps.made(plan.kind)
    theme = colors ?? theme
  }
  return { results, durationSeconds: decoded?.durationSeconds ?? null, theme }
}

/** Containers whose header says exactly how much sound there is. */
const exactContainers = /^(flac|wav|w64|aiff|caf|mov,)/
/** What edit lists and encoder delay may take off. */
const TRUNCATION_TOLERANCE_SECONDS = 0.5

/** @throws MediaError `truncated` when much less could be decoded than the header of a sound file announces */
function checkWhole({ container, durationSeconds }: Probe, decodedSeconds: number): void {
  if (durationSeconds === null || !exactContainers.test(container)) return
  if (decodedSeconds >= durationSeconds - TRUNCATION_TOLERANCE_SECONDS) return
  const [has, announces] = [decodedSeconds, durationSeconds].map((seconds) => seconds.toFixed(1))
  throw new MediaError(
    'truncated',
    `The file breaks off: it announces ${announces} seconds and holds ${has}. Upload the whole file.`,
  )
}

function planOf(file: FileWithVariant, probe: Probe, durationSeconds: number): FilePlan {
  return variantType(file.variant.type).plan(file.props, probe, durationSeconds)
}

function audioJob(file: FileWithVariant, probe: Probe, durationSeconds: number): AudioJob[] {
  const plan = planOf(file, probe, durationSeconds)
  if (plan.kind !== 'audio') return []
  const { args, codecName, channels, clip, extension } = plan
  return [{ file, plan, output: { fileName: `${file.id}.${extension}`, args, codec: codecName, channels, clip } }]
}

/** One pass over the source; where that fails, one pass for each file, so that only what is broken is lost. */
async function decodeAll(
  services: Services,
  source: Source,
  jobs: readonly AudioJob[],
  results: Map<string, FileResult>,
  onFallback: () => Promise<void>,
  onSeconds?: (seconds: number) => void,
): Promise<Decoded | null> {
  const run = (outputs: readonly AudioOutput[]) =>
    encodeAll(services.tools, source.file, source.probe, outputs, source.folder, source.signal, onSeconds)
  try {
    return await run(jobs.map((job) => job.output))
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    services.log.warn({ trackId: source.trackId, code: error.code, detail: error.detail }, 'the one-pass run failed')
  }
  await onFallback()
  let decoded: Decoded | null = null
  for (const job of jobs) {
    try {
      decoded = await run([job.output])
    } catch (error) {
      results.set(job.file.id, failure(services, source, job.file, error))
    }
  }
  return decoded ?? (await run([]).catch(() => null))
}

async function decodedLength(services: Services, { file, probe, folder, signal }: Source): Promise<number> {
  try {
    return (await encodeAll(services.tools, file, probe, [], folder, signal)).durationSeconds
  } catch (error) {
    if (error instanceof MediaError) return 0
    throw error
  }
}

async function keepAudio(
  services: Services,
  source: Source,
  job: AudioJob,
  sourceSeconds: number,
): Promise<FileResult> {
  const local = join(source.folder, job.output.fileName)
  try {
    await checkOutput(services.tools, local, job.output, sourceSeconds, source.signal)
    const { extension, contentType } = job.plan
    const kept = await keep(services, source, job.file, local, extension, contentType)
    return { ...kept, data: job.plan.data() }
  } catch (error) {
    return failure(services, source, job.file, error)
  }
}

async function makeOther(
  services: Services,
  source: Source,
  file: FileWithVariant,
  plan: Exclude<FilePlan, { kind: 'audio' }>,
  decoded: Decoded | null,
): Promise<{ result: FileResult; colors?: ThemeColor[] }> {
  try {
    if (plan.kind === 'original') return { result: await makeOriginal(services, source, file) }
    if (plan.kind === 'cover') return await makeCover(services, source, file)
    if (!decoded) throw new MediaError('decoder_failed', 'The file is damaged: it could not be decoded.')
    return { result: await makeOfSignal(services, source, file, plan, decoded) }
  } catch (error) {
    return { result: failure(services, source, file, error) }
  }
}

/** What is drawn from the decoded signal. */
function makeOfSignal(
  services: Services,
  source: Source,
  file: FileWithVariant,
  plan: FilePlan & { kind: 'levels' | 'waveform_image' | 'waveform_video' },
  decoded: Decoded,
): Promise<FileResult> {
  if (plan.kind === 'levels') return makeLevels(services, source, file, plan.count, decoded)
  if (plan.kind === 'waveform_image') return makeWaveformImage(services, source, file, plan, decoded)
  return makeWaveformVideo(services, source, file, plan, decoded)
}

async function makeLevels(
  services: Services,
  source: Source,
  file: FileWithVariant,
  count: number,
  { rawFile }: Decoded,
): Promise<FileResult> {
  const data = await measureLevels(rawFile, count)
  const local = join(source.folder, `${file.id}.json`)
  await Bun.write(local, JSON.stringify(data))
  return { ...(await keep(services, source, file, local, 'json', 'application/json')), data }
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
  const { size, sha256 } = await digest(source.file)
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
