// WebKit, the engine of Safari, as WebKitGTK's browser for tests. Skipped where a program is absent.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { type Host, startSite } from '../../browser/site.ts'
import { type SoundServer, startSoundServer } from '../../browser/sound-server.ts'
import { makeKey } from '../../spec/support.ts'
import { sql } from '../../support/administrators.ts'
import { tone } from '../../support/audio.ts'
import { lastingPort } from '../../support/ports.ts'
import { processed } from '../../support/processed.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { type DrivenPage, findMiniBrowser, openDrivenPage } from './webdriver.ts'

setDefaultTimeout(120_000)

const SECONDS = 20
const browser = findMiniBrowser()
/** WebKit plays by plugins of GStreamer, which Debian only recommends. */
const canPlay = ['isomp4', 'libav'].every(
  (name) => [...new Bun.Glob(`/usr/lib/*/gstreamer-1.0/libgst${name}.so`).scanSync({ absolute: true })].length > 0,
)
const isAbsent =
  browser === null || !canPlay || ['WebKitWebDriver', 'Xvfb', 'pulseaudio'].some((name) => !Bun.which(name))
const button = (name: string) => `//button[normalize-space()="${name}" or @aria-label="${name}"]`

describe.skipIf(isAbsent)('WebKit', () => {
  let folder: string
  let sound: SoundServer
  let host: Host
  let service: TestService
  let page: DrivenPage
  let adaptiveKey: string
  let trackId: string
  const programs: Bun.Subprocess[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tonearm-webkit-'))
    sound = await startSoundServer()
    const html = '<!doctype html><title>A recorder</title><button onclick="context = new AudioContext()">Allow</button>'
    host = await startSite(() => new Response(html, { headers: { 'content-type': 'text/html' } }), {
      LISTENING_SAMPLE: '1',
    })
    ;({ service } = host)
    const { organization_id: organizationId } = service.demo
    const variant = { type: 'adaptive', index: 'adaptive', props: resolveProps('adaptive', {}) } as const
    const { id: variantId } = await insertVariant(service.services.db, { organizationId, trackId: null, ...variant })
    adaptiveKey = await makeKey(service, 'share', { variantId })
    trackId = (await processed(service, await tone(SECONDS), 'song.wav')).id
    await processed(service, await tone(2), 'second.wav')
    const screen = Bun.spawn(['Xvfb', '-displayfd', '1', '-screen', '0', '1440x1000x24'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    programs.push(screen)
    const { value } = await screen.stdout.getReader().read()
    const port = await lastingPort()
    // The language of the pages is that of the environment.
    const env = {
      ...process.env,
      ...sound.env,
      HOME: folder,
      LANG: 'en_US.UTF-8',
      DISPLAY: `:${new TextDecoder().decode(value).trim()}`,
    }
    programs.push(Bun.spawn(['WebKitWebDriver', `--port=${port}`], { stdio: ['ignore', 'ignore', 'ignore'], env }))
    const driverUrl = `http://127.0.0.1:${port}`
    await until('the driver to listen', 20_000, () =>
      fetch(`${driverUrl}/status`).then(
        () => true,
        () => false,
      ),
    )
    page = await openDrivenPage(driverUrl, { 'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] } })
  })
  afterAll(async () => {
    await page?.close()
    for (const program of programs.reverse()) {
      program.kill()
      await program.exited
    }
    await sound?.stop()
    await host?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const signIn = async () => {
    const { admin, base_url: baseUrl } = service.demo
    await page.goto(`${baseUrl}/studio`)
    const isSignedIn = await page.untilTrue<string>(`document.querySelector('#content, input[type=password]')?.tagName`)
    if (isSignedIn !== 'INPUT') return
    await page.type('input[type=email]', admin.email)
    await page.type('input[type=password]', admin.password)
    await page.press(button('Sign in'))
    await page.untilTrue(`document.querySelector('#content')`)
  }

  test.each([
    ['a file', () => service.demo.share_key],
    ['a playlist of HTTP Live Streaming', () => adaptiveKey],
  ])(
    'plays %s, seeks and goes to the next track on the listener page, and reports what is heard',
    async (_, getKey) => {
      const { demo } = service
      await sql(service, 'TRUNCATE listening, retention_day')
      await page.goto(`${demo.base_url}/s/collection/${demo.collection_id}/${getKey()}?t=0`)
      const isAfter = (seconds: number) => page.untilTrue(`Number(document.querySelector('#seek').value) > ${seconds}`)
      await page.press(button('Play'))
      await isAfter(1)
      await page.press(button('Forward 15 seconds'))
      // The step leads to second 17 at most.
      await isAfter(18)
      await page.press(button('Next track'))
      await page.untilTrue(`document.querySelector('#title').textContent === 'second'`)
      await isAfter(0)
      expect(await page.run(`return document.querySelector('[role=alert]:not([hidden])')`)).toBeNull()
      await page.goto(host.url)
      const hundredths = await until('the report', 10_000, async () => {
        const { json } = await service.v1('GET', `/track/${trackId}/retention`)
        return json.retention.listenings === 1 && json.retention.hundredths
      })
      // A hundredth has 0.2 seconds: the beginning, and after the step to second 15 or later.
      expect([hundredths[2], hundredths[50], Math.max(...hundredths.slice(75))]).toEqual([1, 0, 1])
    },
  )

  test('uploads in the studio, follows the track to its end, and plays it', async () => {
    const file = join(folder, 'webkit.wav')
    await Bun.write(file, await tone(3))
    await signIn()
    await page.goto(`${service.demo.base_url}/studio/collection/${service.demo.collection_id}`)
    await page.type('.drop input[type=file]', file)
    await until('the upload to end', 60_000, async () => {
      await service.runJobs()
      return service.services.db.track.findFirst({ where: { fileName: 'webkit.wav', status: 'ready' } })
    })
    await page.press(button('Hide the uploads'))
    await page.press(`//*[@role="row"][contains(., "webkit")]`)
    await page.untilTrue(`location.pathname.startsWith('/studio/track/')`)
    await page.press(`//main${button('Play')}`)
    await page.untilTrue(`[...document.querySelectorAll('button')].some((button) => button.ariaLabel === 'Pause')`)
  })
})
