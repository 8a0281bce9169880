import type { Transaction } from '../../../platform/db/client.ts'
import type { Transcription } from '../../../platform/db/generated/client/client.ts'
import { Postponed, SlotReturned } from '../../../platform/jobs/task.ts'
import { MediaError } from '../../../platform/media/ffmpeg/reasons.ts'
import { type Scratch, withScratch } from '../../../platform/media/ffmpeg/scratch.ts'
import { probe } from '../../../platform/media/probe.ts'
import { decodeSpeech } from '../../../platform/media/speech.ts'
import {
  measureSpeech,
  readSpeech,
  SPEECH_BYTES_PER_SECOND,
  type SpeechSamples,
} from '../../../platform/media/speech-sound.ts'
import { withFewTags } from '../../../platform/media/tags/excess/clip.ts'
import { joinCues, type SpokenCue } from '../../../platform/speech/cues.ts'
import { toRecognizedLanguage } from '../../../platform/speech/language.ts'
import { choosePiece, isCutInSpeech, type SpeechPiece } from '../../../platform/speech/pieces.ts'
import { requestTranscript, SpeechError } from '../../../platform/speech/provider.ts'
import { HOUR_MS } from '../../../platform/time.ts'
import { MAX_TRANSCRIPTION } from '../../track/record.ts'
import { writeWebVtt } from '../../track/transcript/forms.ts'
import { endJob, inAttempt } from '../job/end.ts'
import { fetchRecording } from '../pipeline/fetch.ts'
import { RunEnded } from '../run/run.ts'
import { fail, type TranscriptionRun, writeUnlessEnded } from './end.ts'
import { recordTranscribedEvent } from './events.ts'
import { requireSpeech } from './quota.ts'
import { hasOthersWaiting } from './turns.ts'

/**
 * Length of the pieces that are sent, in seconds. One of five minutes is smaller than the files that any provider accepts, and
 * a failure repeats no more than that. A model without times has one cue for each piece.
 */
const [PIECE_SECONDS, PIECE_WITHOUT_TIMES_SECONDS] = [300, 30]
/** Rest of a recording that is not transcribed: sums of times are exact to less. */
const END_SECONDS = 0.01
/** Time of an attempt after which it makes room for another organization. What it has done stays, but is decoded again. */
const TURN_MS = 10 * 60_000
const LONGEST_RETRY_AFTER_MS = HOUR_MS
/** End of the text so far, which the next piece is prompted with: Whisper reads 224 tokens. */
const CONTEXT_CHARS = 200

/**
 * Transcribes a track from where an earlier attempt has ended, and ends its job. Each piece is written when it is answered.
 * @throws SlotReturned while another organization waits; Postponed when the provider is not available; faults of the host
 */
export async function transcribe(run: TranscriptionRun, signal: AbortSignal): Promise<void> {
  try {
    await withScratch((scratch) => transcribePieces(run, scratch, signal), { jobId: run.job.id })
  } catch (error) {
    if (error instanceof RunEnded) return
    if (error instanceof MediaError) return ignoreEnd(fail(run, error.code, error.message))
    if (!(error instanceof SpeechError)) throw error
    if (error.code === 'refused') {
      run.services.log.warn({ trackId: run.track.id, err: error }, 'the speech recognition refuses a recording')
      return ignoreEnd(fail(run, 'provider_refused'))
    }
    throw new Postponed(error.message, Math.min(error.retryAfterMs, LONGEST_RETRY_AFTER_MS), error)
  }
}

/** Ends a job after its last attempt. */
export const giveUpTranscription = (run: TranscriptionRun) => ignoreEnd(fail(run, 'provider_unavailable'))

const ignoreEnd = (ending: Promise<void>) =>
  ending.catch((error) => {
    if (!(error instanceof RunEnded)) throw error
  })

async function transcribePieces(run: TranscriptionRun, scratch: Scratch, signal: AbortSignal): Promise<void> {
  const { services, job } = run
  const beganMs = services.clock().getTime()
  let progress = await begin(run)
  const file = await decode(run, scratch, progress, signal)
  const seconds = measureSpeech(file)
  let hasTimes = true
  while (seconds - progress.doneSeconds > END_SECONDS) {
    const start = progress.nextStartSeconds
    const maxSeconds = hasTimes ? PIECE_SECONDS : PIECE_WITHOUT_TIMES_SECONDS
    const samples = await readSpeech(file, start, start + maxSeconds)
    const piece = choosePiece(samples, maxSeconds)
    const answer = piece.isSilent ? silence : await send(run, progress, { samples, piece, hasTimes }, signal)
    if (answer.cues) progress = await writeProgress(run, progress, piece, { ...answer, cues: answer.cues })
    // The same part again, in shorter pieces.
    else hasTimes = false
    const isTurnOver = services.clock().getTime() - beganMs > TURN_MS && seconds - progress.doneSeconds > END_SECONDS
    if (isTurnOver && (await hasOthersWaiting(services.pool, job.organizationId))) {
      throw new SlotReturned('another organization waits for a transcription')
    }
  }
  await finish(run, progress)
}

interface PieceAnswer {
  /** In seconds of the piece. Null when they were asked for and the model has none. */
  cues: SpokenCue[] | null
  language: string | null
  /** Sound that was sent. */
  sentSeconds: number
}
const silence: PieceAnswer = { cues: [], language: null, sentSeconds: 0 }

/** Reads the progress of earlier attempts, or begins again for another recording. */
const begin = (run: TranscriptionRun): Promise<Transcription> =>
  writeUnlessEnded(run, async (tx, { sourceKey }) => {
    const where = { id: run.job.id }
    const transcription = await tx.transcription.findUniqueOrThrow({ where })
    if (transcription.sourceKey === sourceKey) return transcription
    const data = { sourceKey, doneSeconds: 0, nextStartSeconds: 0, cues: [] }
    return tx.transcription.update({ where, data })
  })

/** Fetches and decodes the recording. @returns file of the sound */
async function decode(
  { services, track }: TranscriptionRun,
  { inputs, work, reserve }: Scratch,
  { recordingSeconds }: Transcription,
  signal: AbortSignal,
): Promise<string> {
  const { tools } = services
  await reserve(Number(track.sourceBytes ?? 0) + recordingSeconds * SPEECH_BYTES_PER_SECOND)
  const fetching = { services, track, inputs, reserve: async () => {}, signal, file: '' }
  await fetchRecording(fetching)
  const file = await withFewTags(fetching.file)
  return decodeSpeech(tools, { file, probe: await probe(tools, file, signal), folder: work, signal })
}

/** Sends a piece, with its overlap, to the provider. @throws SpeechError; the signal's reason */
async function send(
  { services, job }: TranscriptionRun,
  { language, prompt, cues }: Transcription,
  { samples, piece: { cut, overlap }, hasTimes }: { samples: SpeechSamples; piece: SpeechPiece; hasTimes: boolean },
  signal: AbortSignal,
): Promise<PieceAnswer> {
  const { provider } = requireSpeech(services)
  const sound = samples.subarray(0, Math.round(((cut + overlap) * SPEECH_BYTES_PER_SECOND) / 2))
  const context = readCues(cues)
    .map(({ text }) => text)
    .join(' ')
    .slice(-CONTEXT_CHARS)
  const request = {
    samples: sound,
    language: language === null ? null : toRecognizedLanguage(language),
    prompt: [prompt, context].filter(Boolean).join(' '),
    hasTimes,
    signal,
    clock: services.clock,
  }
  const sentSeconds = cut + overlap
  try {
    const answer = await services.tracing.inSpan('transcribe', { kind: 'client' }, () =>
      requestTranscript(provider, request),
    )
    services.log.debug({ jobId: job.id, sentSeconds }, 'a piece was transcribed')
    if (hasTimes || answer.text === '') return { ...answer, cues: answer.text === '' ? [] : answer.cues, sentSeconds }
    return { ...answer, cues: [{ start: 0, end: cut, text: answer.text }], sentSeconds }
  } catch (error) {
    if (error instanceof SpeechError && error.code === 'no_times') return { cues: null, language: null, sentSeconds: 0 }
    throw error
  }
}

/** Adds the cues of a piece to those of the pieces before it. */
async function writeProgress(
  run: TranscriptionRun,
  progress: Transcription,
  { cut, overlap }: SpeechPiece,
  { cues, language, sentSeconds }: PieceAnswer & { cues: SpokenCue[] },
): Promise<Transcription> {
  const start = progress.nextStartSeconds
  const doneSeconds = start + cut
  const placed = cues
    .map((cue) => ({ ...cue, start: roundToMs(start + cue.start), end: roundToMs(start + cue.end) }))
    // The next piece has what is said after the cut.
    .filter((cue) => overlap === 0 || (cue.start + cue.end) / 2 < doneSeconds)
  const overlapBefore = progress.doneSeconds - start
  const data = {
    doneSeconds,
    nextStartSeconds: doneSeconds - overlap,
    sentSeconds: progress.sentSeconds + sentSeconds,
    // The rest of the recording is in the language of its beginning.
    language: progress.language ?? (cues.length > 0 ? language : null),
    cues: joinCues(
      readCues(progress.cues),
      placed,
      progress.doneSeconds,
      isCutInSpeech(overlapBefore) ? overlapBefore : 0,
    ) as object[],
  }
  return writeUnlessEnded(run, async (tx) => {
    // A provider that answers is available.
    await tx.job.updateMany({ where: inAttempt(run.job), data: { failures: 0, failingSince: null } })
    return tx.transcription.update({ where: { id: run.job.id }, data })
  })
}

const roundToMs = (seconds: number) => Math.round(seconds * 1000) / 1000

const readCues = (cues: Transcription['cues']) => cues as unknown as SpokenCue[]

/** Writes the transcription as WebVTT to the track, and ends the job. */
async function finish(run: TranscriptionRun, progress: Transcription): Promise<void> {
  const cues = readCues(progress.cues)
  if (cues.length === 0) return fail(run, 'no_speech')
  const transcription = writeWebVtt(
    cues.map(({ start, end, text }) => ({ startSeconds: start, endSeconds: end, speaker: '', text })),
  )
  if (transcription.length > MAX_TRANSCRIPTION) return fail(run, 'transcription_too_long')
  const { services, job } = run
  await writeUnlessEnded(run, async (tx, track) => {
    const transcribed = { transcription, transcriptionLanguage: progress.language, transcribedAt: services.clock() }
    await tx.track.update({ where: { id: track.id }, data: transcribed })
    await recordTranscribedEvent(tx, job, track, progress.language)
    await forgetCues(tx, job.id)
    await endJob(tx, job, { state: 'done' }, services.clock())
  })
}

/** The track has them now. */
const forgetCues = (tx: Transaction, jobId: string) =>
  tx.transcription.update({ where: { id: jobId }, data: { cues: [] } })
