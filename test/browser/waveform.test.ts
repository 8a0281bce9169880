import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { makeMedia } from '../support/audio.ts'
import { processed } from '../support/processed.ts'
import type { Json } from '../support/service.ts'
import { openSite, type Site } from './site.ts'

setDefaultTimeout(90_000)

const SECONDS = 4
let site: Site
let files: Record<string, Json>

beforeAll(async () => {
  const built = await Bun.build({ entrypoints: [join(import.meta.dir, 'waveform-page.ts')], target: 'browser' })
  const script = await built.outputs[0]?.text()
  const answers: Record<string, [body: string, type: string]> = {
    '/': ['<!doctype html><title>Players</title><script src="page.js" type="module"></script>', 'text/html'],
    '/page.js': [script ?? '', 'text/javascript'],
  }
  site = await openSite((request) => {
    const [body, type] = answers[new URL(request.url).pathname] ?? ['', 'text/plain']
    return new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } })
  })
  // Silence, then a tone from the middle on.
  const half = `'if(lt(t,${SECONDS / 2}),0,0.8*sin(440*2*PI*t))'`
  const sound = await makeMedia(['-f', 'lavfi', '-i', `aevalsrc=${half}|${half}:s=44100:d=${SECONDS}`], 'wav')
  files = (await processed(site.service, sound, 'half.wav')).files
})
afterAll(() => site?.stop())

/** The drawing must match the sound: a line, then bars. */
function expectSilenceThenTone(heights: readonly number[]) {
  expect(heights).toHaveLength(6)
  for (const height of heights.slice(0, 3)) expect(height).toBeLessThan(0.1)
  for (const height of heights.slice(3)) expect(height).toBeGreaterThan(0.5)
}

for (const form of ['json', 'arraybuffer'] as const) {
  test(`peaks.js loads the ${form} from the edge and draws it`, async () => {
    const { waveform } = files.waveform.data
    const { url } = form === 'json' ? waveform.json : waveform.dat
    const made = await site.page.evaluate(({ sound, form, url }) => window.waveforms.peaks(sound, form, url), {
      sound: files.hq.url,
      form,
      url,
    })
    expect(made.length).toBe(waveform.length)
    expect(Math.abs(made.seconds - SECONDS)).toBeLessThan(0.05)
    expectSilenceThenTone(made.heights)
  })
}

test('wavesurfer.js draws it without decoding the sound', async () => {
  const { waveform } = files.waveform.data
  const made = await site.page.evaluate(({ sound, json }) => window.waveforms.wavesurfer(sound, json), {
    sound: files.hq.url,
    json: waveform.json.url,
  })
  expect(Math.abs(made.seconds - SECONDS)).toBeLessThan(0.05)
  expectSilenceThenTone(made.heights)
})
