// Recordings of the browser's MediaRecorder, whole and cut. Most of them have no length in their header.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Processed, readTrack } from '../support/processed.ts'
import { type TestService, uploadTrack } from '../support/service.ts'
import { isFirefox } from './launch.ts'
import { openSite, type Site } from './site.ts'

setDefaultTimeout(120_000)

const SECONDS = 2.5
/** A busy machine records for longer than the test asks for. */
const MAX_SECONDS = 10
/** File name extensions by type. */
const extensions = {
  'audio/webm;codecs=opus': 'webm',
  'audio/webm;codecs=pcm': 'webm',
  'audio/ogg;codecs=opus': 'ogg',
  'audio/mp4;codecs=opus': 'm4a',
  'audio/mp4;codecs=mp4a.40.2': 'm4a',
} as const
type Type = keyof typeof extensions
/** Types that this browser records. Builds of Chromium with AAC record `mp4a.40.2` also. */
const types: Type[] = isFirefox
  ? ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus']
  : ['audio/webm;codecs=opus', 'audio/webm;codecs=pcm', 'audio/mp4;codecs=opus']

const cuts = {
  'at 10 %': (length: number) => length * 0.1,
  'at 50 %': (length: number) => length * 0.5,
  'at 95 %': (length: number) => length * 0.95,
  'before its last byte': (length: number) => length - 1,
} as const

let site: Site
let service: TestService
/** By type, then by cut. */
const takes: Record<string, { whole: Processed; cuts: Record<string, Processed> }> = {}

/** Records a tone in the page, in pieces of half a second. */
async function record(mimeType: Type): Promise<Buffer> {
  const base64 = await site.page.evaluate(
    async ({ mimeType, milliseconds }) => {
      const context = new AudioContext()
      await context.resume()
      const oscillator = new OscillatorNode(context, { frequency: 440 })
      const destination = context.createMediaStreamDestination()
      oscillator.connect(destination)
      oscillator.start()
      const recorder = new MediaRecorder(destination.stream, { mimeType })
      const pieces: Blob[] = []
      recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data))
      recorder.start(500)
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve))
      recorder.stop()
      await stopped
      await context.close()
      const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer())
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    },
    { mimeType, milliseconds: SECONDS * 1000 },
  )
  return Buffer.from(base64, 'base64')
}

beforeAll(async () => {
  const page = '<!doctype html><title>A recorder</title>'
  site = await openSite(() => new Response(page, { headers: { 'content-type': 'text/html' } }))
  ;({ service } = site)
  const upload = (bytes: Buffer, type: Type) => uploadTrack(service, new Uint8Array(bytes), `take.${extensions[type]}`)
  const ids: { type: Type; whole: string; cuts: [name: string, id: string][] }[] = []
  for (const type of types) {
    const recording = await record(type)
    const cutIds: [string, string][] = []
    for (const [name, endOf] of Object.entries(cuts))
      cutIds.push([name, await upload(recording.subarray(0, Math.floor(endOf(recording.length))), type)])
    ids.push({ type, whole: await upload(recording, type), cuts: cutIds })
  }
  await service.runJobs()
  for (const { type, whole, cuts } of ids)
    takes[type] = {
      whole: await readTrack(service, whole),
      cuts: Object.fromEntries(await Promise.all(cuts.map(async ([name, id]) => [name, await readTrack(service, id)]))),
    }
}, 200_000)
afterAll(() => site?.stop())

test('are all types that this browser records', async () => {
  const supported = await site.page.evaluate(
    (names) => names.filter((name) => MediaRecorder.isTypeSupported(name)),
    Object.keys(extensions),
  )
  expect(supported.filter((type) => !type.includes('mp4a'))).toEqual(types)
})

describe.each(types)('%s', (type) => {
  test('is ready with its length', () => {
    const { track_status_id: status, status_code: code, duration } = takes[type]?.whole.track ?? {}
    expect([status, code]).toEqual(['ready', null])
    expect(duration).toBeWithin(SECONDS - 0.5, MAX_SECONDS)
  })

  test.each(Object.keys(cuts))('names what is missing when it was cut %s', (cut) => {
    const { status_code: code } = takes[type]?.cuts[cut]?.track ?? {}
    expect(['truncated', 'end_missing']).toContain(code)
  })
})
