// A server of OpenAI's /v1/audio/transcriptions for tests, with the answers that its reference, whisper.cpp and speaches document.
// It recognizes sentences of tones: each tone is a word, named by its frequency. It shares no code with the service.

export const WORD_RATE = 8000
/** Seconds of a word. */
const WORD_SECONDS = 0.4
const PAUSE_SECONDS = 0.6

/** A part of a recording: words without a pause, which a pause follows. */
export type Sentence = readonly number[]

/** Returns a WAV in which each number is said as a tone of 300 Hz and 10 Hz more for each one. 0 to 300. */
export function sayNumbers(sentences: readonly Sentence[], pauseSeconds = PAUSE_SECONDS): Uint8Array<ArrayBuffer> {
  const samples: number[] = []
  const addSilence = () => {
    for (let at = 0; at < pauseSeconds * WORD_RATE; at++) samples.push(0)
  }
  addSilence()
  for (const sentence of sentences) {
    for (const word of sentence) {
      const step = (2 * Math.PI * (300 + 10 * word)) / WORD_RATE
      for (let at = 0; at < WORD_SECONDS * WORD_RATE; at++) samples.push(Math.round(8000 * Math.sin(at * step)))
    }
    addSilence()
  }
  return toWav(Int16Array.from(samples), WORD_RATE)
}

function toWav(samples: Int16Array<ArrayBuffer>, rate: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(44)
  header.write('RIFF')
  header.writeUInt32LE(36 + samples.byteLength, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(2 * rate, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.byteLength, 40)
  return new Uint8Array(Buffer.concat([header, Buffer.from(samples.buffer)]))
}

/** A request as the server has received it. */
export interface ReceivedSound {
  headers: Record<string, string>
  fields: Record<string, string>
  fileName: string
  /** Length of the sound. */
  seconds: number
  /** Recognized in the sound, each sentence with its times. */
  segments: Segment[]
}

interface Segment {
  start: number
  end: number
  text: string
}

export type Recognizer = ReturnType<typeof startRecognizer>

/** The default answer: `verbose_json` as OpenAI, or `json`. */
export function answerAsOpenAi({ fields, segments, seconds }: ReceivedSound, language = 'english'): Response {
  const text = segments.map((segment) => segment.text).join(' ')
  if (fields.response_format === 'json') return Response.json({ text })
  const numbered = segments.map((segment, id) => ({
    id,
    seek: 0,
    ...segment,
    text: ` ${segment.text}`,
    tokens: [50364],
    temperature: 0,
    avg_logprob: -0.3,
    compression_ratio: 1.2,
    no_speech_prob: 0.01,
  }))
  return Response.json({ task: 'transcribe', language, duration: seconds, text, segments: numbered })
}

/** OpenAI's refusal of times by a model that has none. */
export const refuseTimes = () =>
  Response.json(
    {
      error: {
        message: "response_format 'verbose_json' is not compatible with model 'a-model'. Use 'json' or 'text' instead.",
        type: 'invalid_request_error',
        param: 'response_format',
        code: 'unsupported_value',
      },
    },
    { status: 400 },
  )

/** @param answer answers a request. Defaults to what it recognizes */
export function startRecognizer(
  answer: (sound: ReceivedSound, count: number) => Response | Promise<Response> = (sound) => answerAsOpenAi(sound),
) {
  const all: ReceivedSound[] = []
  const control = { answer }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    idleTimeout: 255,
    routes: {
      '/v1/audio/transcriptions': async (request) => {
        const form = await request.formData()
        const file = form.get('file') as File
        const entries = [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
        const samples = new Int16Array((await file.arrayBuffer()).slice(44))
        const sound: ReceivedSound = {
          headers: Object.fromEntries(request.headers),
          fields: Object.fromEntries(entries),
          fileName: file.name,
          seconds: samples.length / 16_000,
          segments: recognize(samples),
        }
        all.push(sound)
        return control.answer(sound, all.length)
      },
    },
    fetch: () => new Response(null, { status: 404 }),
  })
  return {
    /** All requests in the order of their arrival. */
    all,
    /** May be replaced. */
    control,
    address: `http://127.0.0.1:${server.port}`,
    stop: () => server.stop(true),
  }
}

const WINDOW = 800

/** Splits the sound at pauses of 0.2 s, and reads the words of each part by the frequency of its tones. */
function recognize(samples: Int16Array): Segment[] {
  const segments: Segment[] = []
  let begin = -1
  let quiet = 0
  const close = (end: number) => {
    if (begin >= 0)
      segments.push({ start: begin / 16_000, end: end / 16_000, text: readWords(samples.subarray(begin, end)) })
    begin = -1
  }
  for (let at = 0; at < samples.length; at += WINDOW) {
    const isLoud = samples.subarray(at, at + WINDOW).some((sample) => Math.abs(sample) > 500)
    quiet = isLoud ? 0 : quiet + WINDOW
    if (isLoud && begin < 0) begin = at
    if (quiet >= 3200) close(at + WINDOW - quiet)
  }
  close(samples.length)
  return segments.filter(({ text }) => text !== '')
}

function readWords(samples: Int16Array): string {
  const words: number[] = []
  const length = WORD_SECONDS * 16_000
  for (let at = 0; at + length / 2 <= samples.length; at += length) {
    // Without its edges.
    const part = samples.subarray(at + length / 4, at + (3 * length) / 4)
    let crossings = 0
    let first = -1
    let last = -1
    for (let place = 1; place < part.length; place++) {
      if ((part[place - 1] ?? 0) < 0 && (part[place] ?? 0) >= 0) {
        if (first < 0) first = place
        else crossings += 1
        last = place
      }
    }
    if (crossings > 0) words.push(Math.round((crossings * 16_000) / (last - first) / 10 - 30))
  }
  return words.map((word) => `w${word}`).join(' ')
}
