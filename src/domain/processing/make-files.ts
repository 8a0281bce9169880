import { availableParallelism } from 'node:os'
import type { Services } from '../../platform/context.ts'
import type { ThemeColor } from '../../platform/media/cover/theme.ts'
import { type Decoded, encodeAll } from '../../platform/media/encode.ts'
import type { Analysis } from '../../platform/media/meter/sound.ts'
import type { FileWithVariant } from '../track/service.ts'
import type { FilePlan, Note } from '../variant/types/type.ts'
import { planFile } from './audio-job.ts'
import { type Delivered, deliveredTranscode } from './delivered.ts'
import { encodeAudio } from './encode-audio.ts'
import { embeddedPicture, keepAudio } from './keep-audio.ts'
import { makeCover } from './make-cover.ts'
import { makeLevels } from './make-levels.ts'
import { makeOriginal } from './make-original.ts'
import { makeWaveformImage, makeWaveformVideo } from './make-waveform.ts'
import { filteredMeter, type MeasureFiltered } from './normalize.ts'
import { stepsOf } from './progress.ts'
import { type FileResult, failure, type Source } from './source.ts'

export interface RunResult {
  results: Map<string, FileResult>
  /** Null where nothing had to be decoded. */
  durationSeconds: number | null
  theme: ThemeColor[] | null
  /** Null where it was not asked for. */
  analysis: Analysis | null
  /** What is to be known of the recording, although files could be made of it. */
  note: Note | null
}

/** Ogg announces no length, so nothing shows how much is missing; recorders that are stopped leave whole files like this. */
const endMissing: Note = {
  code: 'end_missing',
  text: 'The file lacks the mark that ends a recording, so its last part may be missing. If it ends too early, upload the whole file.',
}

type Steps = ReturnType<typeof stepsOf>

/** Kinds that are made without a look at the sound. */
const soundless: readonly FilePlan['kind'][] = ['original', 'cover']

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
  const results: RunResult['results'] = new Map()
  const { probe, report } = source
  // Where the container claims nothing, clips can only be placed after a first look.
  const claimed = probe.durationSeconds ?? (await encodeAll(services.tools, source, [])).decoded.durationSeconds
  const plans = new Map(files.map((file) => [file, planFile(file, probe, claimed)]))
  const kinds = [...plans.values()].map(({ kind }) => kind)
  const steps = stepsOf(kinds, report)
  const isDecoded = source.analysis === null || kinds.some((kind) => !soundless.includes(kind))
  const measure = filteredMeter(services, source)
  const decoded = isDecoded
    ? await makeAudio(services, source, files, results, measure, claimed, steps, onFallback)
    : null
  let theme: ThemeColor[] | null = null
  // Fetched once: all audio of the run is finished here.
  let delivered: Promise<Delivered | null> | undefined
  const findDelivered = () => (delivered ??= deliveredTranscode(services, source, results))
  await onEachCore([...plans], async ([file, plan]) => {
    if (plan.kind === 'audio') return
    const { result, colors } = await makeOther(services, source, file, plan, decoded, findDelivered, measure)
    results.set(file.id, result)
    steps.made(plan.kind)
    theme = colors ?? theme
  })
  const { durationSeconds = null, analysis = null } = decoded ?? {}
  return { results, durationSeconds, theme, analysis, note: probe.lacksEnd ? endMissing : null }
}

async function makeAudio(
  services: Services,
  source: Source,
  files: readonly FileWithVariant[],
  results: RunResult['results'],
  measure: MeasureFiltered,
  claimed: number,
  steps: Steps,
  onFallback: () => Promise<void>,
): Promise<Decoded> {
  const onSeconds = (seconds: number) => claimed > 0 && steps.pass(seconds / claimed)
  const { decoded, made, failures } = await encodeAudio(services, source, files, measure, claimed, {
    onSeconds,
    onFallback,
  })
  for (const file of files) {
    const error = failures.get(file.id)
    if (error) results.set(file.id, failure(services, source, file, error))
  }
  const picture = embeddedPicture(services, source)
  await onEachCore(made, async (job) => {
    results.set(job.file.id, await keepAudio(services, source, job, decoded, picture))
    steps.made('audio')
  })
  return decoded
}

/** Does something with all of a list, as many at once as there are cores; the first error ends it. */
async function onEachCore<T>(items: readonly T[], use: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const work = async () => {
    for (const item of left) await use(item)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
}

async function makeOther(
  services: Services,
  source: Source,
  file: FileWithVariant,
  plan: Exclude<FilePlan, { kind: 'audio' }>,
  decoded: Decoded | null,
  findDelivered: () => Promise<Delivered | null>,
  measure: MeasureFiltered,
): Promise<{ result: FileResult; colors?: ThemeColor[] }> {
  try {
    if (plan.kind === 'original') return { result: await makeOriginal(services, source, file) }
    if (plan.kind === 'cover') return await makeCover(services, source, file)
    if (!decoded) throw new Error('a signal that nobody decoded')
    return { result: await makeOfSignal(services, source, file, plan, decoded, findDelivered, measure) }
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
  findDelivered: () => Promise<Delivered | null>,
  measure: MeasureFiltered,
): Promise<FileResult> {
  if (plan.kind === 'levels') {
    return makeLevels(services, source, file, plan, decoded, await findDelivered())
  }
  if (plan.kind === 'waveform_image') return makeWaveformImage(services, source, file, plan, decoded)
  return makeWaveformVideo(services, source, file, plan, decoded, measure)
}
