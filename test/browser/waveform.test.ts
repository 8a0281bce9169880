import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { insertVariant, resolveProps } from '../../src/domain/variant/service.ts'
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
  const { organization_id: organizationId } = site.service.demo
  const add = (type: 'levels' | 'waveform_image', index: string, props: object) =>
    insertVariant(site.service.services.db, {
      organizationId,
      trackId: null,
      type,
      index,
      props: resolveProps(type, props),
    })
  await add('levels', 'sides', { waveform_channels: 2 })
  for (const format of ['png', 'svg']) {
    await add('waveform_image', `round_${format}`, { format })
    await add('waveform_image', `square_${format}`, { format, is_rounded: false, background_color: '#000080' })
  }
  files = (await processed(site.service, sound, 'half.wav')).files
})
afterAll(() => site?.stop())

/** The drawing must match the sound: a line, then bars. */
function expectSilenceThenTone(heights: readonly number[]) {
  expect(heights).toHaveLength(6)
  for (const height of heights.slice(0, 3)) expect(height).toBeLessThan(0.1)
  for (const height of heights.slice(3)) expect(height).toBeGreaterThan(0.5)
}

const drawn = (['json', 'arraybuffer'] as const).flatMap((form) => [
  { form, index: 'waveform', channels: 1 },
  { form, index: 'sides', channels: 2 },
])
for (const { form, index, channels } of drawn) {
  test(`peaks.js loads the ${form} of ${index} from the edge and draws it`, async () => {
    const { waveform } = files[index].data
    const { url } = form === 'json' ? waveform.json : waveform.dat
    const drawing = await site.page.evaluate(({ sound, form, url }) => window.waveforms.peaks(sound, form, url), {
      sound: files.hq.url,
      form,
      url,
    })
    expect([drawing.length, drawing.channels]).toEqual([waveform.length, channels])
    expect(Math.abs(drawing.seconds - SECONDS)).toBeLessThan(0.05)
    expectSilenceThenTone(drawing.heights)
  })
}

test('wavesurfer.js draws it without decoding the sound', async () => {
  const { waveform } = files.waveform.data
  const drawing = await site.page.evaluate(({ sound, json }) => window.waveforms.wavesurfer(sound, json), {
    sound: files.hq.url,
    json: waveform.json.url,
  })
  expect(Math.abs(drawing.seconds - SECONDS)).toBeLessThan(0.05)
  expectSilenceThenTone(drawing.heights)
})

test('an SVG is drawn as the PNG', async () => {
  const compare = (shape: string) =>
    site.page.evaluate(([one, other]) => window.waveforms.compare(one, other), [
      files[`${shape}_svg`].url,
      files[`${shape}_png`].url,
    ] as const)
  expect(await compare('square')).toEqual({ width: 1800, height: 280, difference: 0 })
  const { difference } = await compare('round')
  // Round ends are smoothed by the browser.
  expect(difference).toBeLessThan(0.1)
})

test('an inlined SVG takes the color of the page', async () => {
  const { url } = files.round_svg
  const drawing = await site.page.evaluate((url) => window.waveforms.inline(url, 'rgb(1, 2, 3)'), url)
  expect(drawing).toEqual({ names: ['svg', 'path'], color: 'rgb(1, 2, 3)' })
})
