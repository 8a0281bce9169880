// From speech to a hit: flite says a text, PocketSphinx recognizes it. Skipped by its name where a program is absent.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  cleanUp,
  createPlace,
  type Place,
  type ServiceProcess,
  startProcess,
  untilStatus,
  uploadTo,
} from '../../faults/process.ts'
import type { Json } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { runCommand } from './machine.ts'

setDefaultTimeout(120_000)

const PROGRAMS = ['flite', 'pocketsphinx_continuous']
const missing = PROGRAMS.filter((name) => Bun.which(name) === null)
const name = `flite and pocketsphinx (Debian: flite, pocketsphinx, pocketsphinx-en-us)${missing.length > 0 ? `, missing: ${missing}` : ''}`

const TEXT =
  'The river runs behind the old bakery. Every morning people buy fresh bread and good coffee. In winter the garden is white.'

interface Segment {
  start: number
  end: number
  text: string
}

/** Recognizes the speech of a WAV. A segment ends where PocketSphinx hears silence. */
async function recognize(file: string): Promise<Segment[]> {
  const output = await runCommand(['pocketsphinx_continuous', '-infile', file, '-time', 'yes', '-logfn', '/dev/null'])
  const segments: Segment[] = []
  let isOpen = false
  for (const [, word = '', start = '', end = ''] of output.matchAll(/^(\S+) (\d+\.\d+) (\d+\.\d+) \S+$/gm)) {
    const isWord = /^[a-z']+(\(\d+\))?$/.test(word)
    const text = word.replace(/\(\d+\)$/, '')
    const last = segments.at(-1)
    if (isWord && isOpen && last)
      segments[segments.length - 1] = { ...last, end: Number(end), text: `${last.text} ${text}` }
    else if (isWord) segments.push({ start: Number(start), end: Number(end), text })
    isOpen = isWord
  }
  return segments
}

let folder: string
let place: Place
let service: ServiceProcess
let server: ReturnType<typeof startServer>

/** A server of OpenAI's /v1/audio/transcriptions. */
const startServer = () =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 255,
    routes: {
      '/v1/audio/transcriptions': async (request) => {
        const file = join(folder, `${crypto.randomUUID()}.wav`)
        await Bun.write(file, (await request.formData()).get('file') as File)
        const segments = await recognize(file)
        return Response.json({ language: 'english', text: segments.map(({ text }) => text).join(' '), segments })
      },
    },
  })

beforeAll(async () => {
  if (missing.length > 0) return
  folder = await mkdtemp(join(tmpdir(), 'tonearm-speech-'))
  server = startServer()
  place = await createPlace({ TRANSCRIBE_URL: `http://127.0.0.1:${server.port}` })
  service = await startProcess(place)
}, 120_000)
afterAll(async () => {
  if (missing.length > 0) return
  await cleanUp(place)
  await server.stop(true)
  await rm(folder, { recursive: true, force: true })
})

async function operate(query: string, variables: object): Promise<Json> {
  const answer = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.credentials.api_key}` },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await answer.json()) as Json
  expect(errors).toBeUndefined()
  return data
}

test.skipIf(missing.length > 0)(`${name}: what is said is found at its time`, async () => {
  const speech = join(folder, 'said.wav')
  await runCommand(['flite', '-voice', 'slt', '-t', TEXT, '-o', speech])
  const id = await uploadTo(service, await Bun.file(speech).bytes())
  await untilStatus(service, id, ['ready'])
  await operate('mutation ($id: ID!) { transcribeTrack(id: $id) { job { id } } }', { id })
  const read = async () =>
    (
      await operate(
        `query ($id: ID!) { track(id: $id) { transcriptionLanguage transcription
          transcriptHits(search: "fresh breads") { startSeconds endSeconds parts { text isMatch } } }
          tracks(filter: { transcript: "people buying fresh bread" }) { nodes { id } } }`,
        { id },
      )
    ).track
  await until('the transcription', 60_000, async () => (await read()).transcription !== null)
  const { transcriptionLanguage, transcriptHits } = await read()
  expect(transcriptionLanguage).toBe('en')
  const [hit] = transcriptHits
  expect(hit.parts.filter(({ isMatch }: Json) => isMatch).map(({ text }: Json) => text)).toEqual(['fresh', 'bread'])
  // The sentence begins after 2.4 s, and the words are said until 4.7 s.
  expect(hit.startSeconds).toBeWithin(2, 3)
  expect(hit.endSeconds).toBeWithin(4, 7)
})
