import type { Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Job } from '../../../platform/db/generated/client/client.ts'
import type { CoverThemeColor } from '../../../platform/media/cover/theme.ts'
import type { AudioOutput, Decoded } from '../../../platform/media/encode.ts'
import type { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import type { Scratch } from '../../../platform/media/ffmpeg/scratch.ts'
import { type Leveling, type Loudness, toLoudness } from '../../../platform/media/gain.ts'
import type { Quality, SoundAnalysis } from '../../../platform/media/meter/sound.ts'
import type { Probe } from '../../../platform/media/probe.ts'
import type { Tagged } from '../../../platform/media/tags/read.ts'
import { type Span, spanOfSound } from '../../../platform/media/trim.ts'
import { type FileWithVariant, type TrackWithDomain, withDomain, withFiles } from '../../track/service.ts'
import type { AudioPlan, FilePlan, Note } from '../../variant/types/type.ts'
import { type Progress, trackProgress } from './progress.ts'

export type LoadedTrack = TrackWithDomain & { files: FileWithVariant[] }

/** Loads a track with its files. Null for a deleted track. */
export const loadTrack = (db: Pick<Transaction, 'track'>, id: string): Promise<LoadedTrack | null> =>
  db.track.findFirst({ where: { id, deletedAt: null }, include: { ...withDomain, ...withFiles } })

/** Measurements of a recording, as its track stores them. */
export interface Measurements extends SoundAnalysis {
  /** Seconds before the first damage. Null without any. */
  damaged_at_seconds: number | null
}

/** A file to make. */
export interface PlannedFile<Plan extends FilePlan = FilePlan> {
  /** Its row, with the parameters to use in `props`. */
  row: FileWithVariant
  plan: Plan
}

/** An audio file and the arguments to encode it with. */
export interface EncodingRequest {
  file: PlannedFile<AudioPlan>
  output: AudioOutput
  /** Loudness of the file. Null when it has that of the recording. */
  loudness: Loudness | null
  /** How it is brought to its target loudness. Null without one. */
  leveling: Leveling | null
}

/** Name of an encoded file in the folder of the run. */
export const encodedName = ({ id }: Pick<FileWithVariant, 'id'>, { adaptiveBitrate, extension }: AudioPlan) =>
  [id, ...(adaptiveBitrate === null ? [] : [adaptiveBitrate]), extension].join('.')

/** Result of encoding one audio file: a file in the folder of the run, or the error of its encoder. */
export type Encoding = ({ state: 'encoded' } & EncodingRequest) | { state: 'failed'; error: MediaError }

/** A file that was made and stored. */
export interface DoneFile {
  state: 'done'
  storageKey: string
  extension: string
  size: number
  sha256: string
  contentType: string
  fileName: string
  data: object | null
  /** Parameters that were used, where they differ from the requested ones. */
  props?: object
  /** Difference between the file and the request. */
  note?: Note | null
}

/** Result of one file. `absent`: the recording has nothing to make it from, which is not a failure. */
export type FileResult = DoneFile | ({ state: 'failed' } & Note) | { state: 'absent' }

/** One stage of a run. It reads what earlier steps have set. */
export type Step = (run: Run) => Promise<void>

/** Ends a run that has nothing more to do: its job has ended, or a later attempt has begun. */
export class RunEnded extends Error {
  override name = 'RunEnded'
}

/** Ends an attempt whose track has another recording by now: the job is queued again at once, for that one. */
export class RecordingReplaced extends Error {
  override name = 'RecordingReplaced'
}

/**
 * Call it with the locked track before a result is written.
 * @param sourceKey that of the track
 * @throws RecordingReplaced
 */
export function requireRecording({ track }: Pick<Run, 'track'>, sourceKey: string | null): void {
  if (track.sourceKey !== sourceKey) throw new RecordingReplaced()
}

/** One execution of the pipeline for a track. */
export class Run {
  readonly services: Services
  readonly job: Job
  /** As of the start of the run; `planFiles` loads it again. */
  track: LoadedTrack
  /** Scratch folder for objects that are fetched from storage. */
  readonly inputs: string
  /** Scratch folder for results. */
  readonly folder: string
  /** Reserves space for the files of both folders. */
  readonly reserve: Scratch['reserve']
  readonly progress: Progress
  /** Fires when the process stops, and on the first error of the run. */
  readonly signal: AbortSignal

  /** Local path of the recording, in `inputs`. Set by `fetchRecording`. */
  file!: string
  /** Set by `probeRecording`. */
  probe!: Probe
  /** Tags, chapters and picture of the recording. Set by `probeRecording`. */
  tagged!: Tagged
  /** Set by `planFiles`. */
  files: readonly PlannedFile[] = []
  /**
   * Length by the header. 0 for a recording that announces none: its clips are placed when it is decoded. Set by
   * `planFiles`.
   */
  claimedSeconds = 0
  /** Null when no file needs the sound. Set by `decodeRecording`. */
  decoded: Decoded | null = null
  /** Measurements of the sound. Null until measured; a rebuild measures again. Set by `decodeRecording`. */
  analysis: Measurements | null
  /** Null unless this run measures the sound. Set by `decodeRecording`. */
  quality: Quality | null = null
  /** Audio files, by name of the file. Set by `decodeRecording`, and with the remaining ones by `levelFiles`. */
  encodings: ReadonlyMap<string, Encoding> = new Map()
  /** By id of the row. Set by `makeFiles`. */
  readonly results = new Map<string, FileResult>()
  /** Work on each file whose turn has come, by id of the row. Set by `makeFiles`. */
  readonly making = new Map<string, Promise<void>>()
  /** IDs of rows whose results are published before the end of the run. */
  readonly published = new Set<string>()
  /** Colors of the cover. Null when no cover was made. */
  theme: CoverThemeColor[] | null = null

  readonly #controller = new AbortController()
  readonly #shared = new Map<string, Promise<unknown>>()

  /** @param signal fires when the process stops */
  constructor(services: Services, job: Job, track: LoadedTrack, scratch: Scratch, signal: AbortSignal) {
    this.services = services
    this.job = job
    this.track = track
    this.inputs = scratch.inputs
    this.folder = scratch.work
    this.reserve = scratch.reserve
    this.progress = trackProgress(services, job.id, track.id)
    this.signal = AbortSignal.any([signal, this.#controller.signal])
    this.analysis = job.kind === 'rebuild_track' ? null : (track.analysis as Measurements | null)
  }

  /** Ends all work of the run. The first reason counts. */
  readonly abort = (reason: unknown) => this.#controller.abort(reason)

  /** The decoded recording, for files that need the sound. */
  get sound(): Decoded {
    if (!this.decoded) throw new Error('the recording was not decoded')
    return this.decoded
  }

  /** Loudness of the recording. Null until measured, and for silence. */
  get loudness(): Loudness | null {
    return toLoudness(this.analysis)
  }

  /** The decoded recording from its first to its last sound. Null until measured, and for silence. */
  get soundSpan(): Span | null {
    return this.analysis && spanOfSound(this.analysis, this.sound.durationSeconds)
  }

  /** Does something once per run, however many files need it. */
  once<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#shared.get(name) as Promise<T> | undefined) ?? work()
    this.#shared.set(name, result)
    return result
  }
}
