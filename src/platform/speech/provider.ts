import { z } from 'zod'
import { EgressError, guardedRequest } from '../egress/guarded-request.ts'
import { readRetryAfter } from '../egress/retry-after.ts'
import { SPEECH_RATE, type SpeechSamples, toWav } from '../media/speech-sound.ts'
import { storable } from '../storable-text.ts'
import type { SpokenCue } from './cues.ts'
import { readLanguage } from './language.ts'

/** A server that transcribes speech. */
export interface SpeechProvider {
  /** Address of its endpoint. */
  url: string
  /** Sent as a bearer token. Undefined: none. */
  key: string | undefined
  model: string
}

export interface SpeechRequest {
  samples: SpeechSamples
  /** ISO 639-1. Null: the server recognizes it. */
  language: string | null
  /** Empty: none. */
  prompt: string
  /** Whether the answer should have times within the sound. Some models have none. */
  hasTimes: boolean
  signal: AbortSignal
  clock: () => Date
}

export interface SpeechAnswer {
  /** BCP 47 tag. Null: not answered. */
  language: string | null
  /** Its cues in seconds of the sound. Null for an answer without times. */
  cues: SpokenCue[] | null
  text: string
}

/** Reasons why a provider has not transcribed a sound. */
type SpeechFailure =
  /** It cannot be reached, is overloaded, fails, or refuses the key: a later request may succeed. */
  | 'unavailable'
  /** It refuses this request. */
  | 'refused'
  /** It refuses times for this model. */
  | 'no_times'

/** A provider has not transcribed a sound. The message is for operators. */
export class SpeechError extends Error {
  override name = 'SpeechError'
  readonly code: SpeechFailure
  /** From its Retry-After. 0 without one. */
  readonly retryAfterMs: number

  constructor(
    code: SpeechFailure,
    message: string,
    { retryAfterMs = 0, cause }: { retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

/** A recognizer on a slow processor needs several times the length of the sound. */
const [MIN_TIMEOUT_MS, MS_PER_SECOND_OF_SOUND] = [60_000, 6_000]
/** An hour of words with their times. */
const MAX_ANSWER_BYTES = 8 << 20
/** Of an answer that is logged. */
const LOGGED_CHARS = 500
const MAX_CUE_CHARS = 10_000

/** The fields that are used of an answer. Servers add others. */
const answerShape = z.object({
  text: z.string(),
  language: z.string().nullish(),
  segments: z.array(z.object({ start: z.number(), end: z.number(), text: z.string() })).nullish(),
})
const errorShape = z.object({ error: z.object({ param: z.string().nullish() }) })

/**
 * Transcribes a sound.
 * @throws SpeechError; the signal's reason
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export async function requestTranscript(provider: SpeechProvider, request: SpeechRequest): Promise<SpeechAnswer> {
  const { samples, hasTimes, signal, clock } = request
  const seconds = samples.length / SPEECH_RATE
  const form = new Request(provider.url, { method: 'POST', body: toForm(provider, request) })
  try {
    const answer = await guardedRequest(provider.url, {
      method: 'POST',
      headers: {
        'content-type': form.headers.get('content-type') ?? '',
        accept: 'application/json',
        'user-agent': 'Tonearm-Transcription/1',
        ...(provider.key !== undefined && { authorization: `Bearer ${provider.key}` }),
      },
      body: await form.bytes(),
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: MIN_TIMEOUT_MS + seconds * MS_PER_SECOND_OF_SOUND,
      signal,
      // The address is the operator's.
      allowPrivate: true,
    })
    const body = await readText(answer.body)
    if (answer.status === 200) return readAnswer(body, seconds)
    throw toError(answer.status, body, readRetryAfter(answer.headers['retry-after'], clock()), hasTimes)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EgressError) throw new SpeechError('unavailable', error.message, { cause: error })
    throw error
  }
}

function toForm({ model }: SpeechProvider, { samples, language, prompt, hasTimes }: SpeechRequest): FormData {
  const form = new FormData()
  form.set('file', new Blob([toWav(samples)], { type: 'audio/wav' }), 'sound.wav')
  form.set('model', model)
  form.set('response_format', hasTimes ? 'verbose_json' : 'json')
  form.set('temperature', '0')
  if (language !== null) form.set('language', language)
  if (prompt !== '') form.set('prompt', prompt)
  return form
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  return new TextDecoder().decode(Buffer.concat(await Array.fromAsync(body)))
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** @param seconds length of the sound, which no time exceeds */
function readAnswer(body: string, seconds: number): SpeechAnswer {
  const json = parseJson(body)
  const { data } = answerShape.safeParse(json)
  // whisper.cpp reports errors with the status 200.
  if (!data)
    throw new SpeechError(json === undefined ? 'unavailable' : 'refused', `an answer of another form: ${start(body)}`)
  const within = (time: number) => Math.min(Math.max(time, 0), seconds)
  return {
    language: data.language ? readLanguage(data.language) : null,
    text: cleanText(data.text),
    cues:
      data.segments
        ?.map(({ start, end, text }) => ({ start: within(start), end: within(end), text: cleanText(text) }))
        .filter(({ start, end, text }) => text !== '' && end >= start) ?? null,
  }
}

/** On one line. */
const cleanText = (text: string) =>
  storable(text, MAX_CUE_CHARS)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()

/** The request, its size or its form is refused. Any other status may be another one later, as that of a key. */
const REFUSALS = [400, 413, 415, 422]

function toError(status: number, body: string, retryAfterMs: number | null, hasTimes: boolean): SpeechError {
  const message = `the provider answers ${status}: ${start(body)}`
  if (!REFUSALS.includes(status)) return new SpeechError('unavailable', message, { retryAfterMs: retryAfterMs ?? 0 })
  const isFormRefused = errorShape.safeParse(parseJson(body)).data?.error.param === 'response_format'
  return new SpeechError(hasTimes && isFormRefused ? 'no_times' : 'refused', message)
}

const start = (body: string) => body.slice(0, LOGGED_CHARS)
