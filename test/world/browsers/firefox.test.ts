// Firefox: main journeys of test:browser. Skipped where a program is absent.
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')
const isAbsent = !(Bun.which('firefox-esr') ?? Bun.which('firefox')) || !Bun.which('pulseaudio')
const journeys = ['listen', 'embed', 'upload', 'studio/track']

test.skipIf(isAbsent).each(journeys)(
  'Firefox: %s',
  async (journey) => {
    const run = Bun.spawn([process.execPath, 'test/run.ts', 'browser', `./test/browser/${journey}.test.ts`], {
      cwd: ROOT,
      env: { ...process.env, TEST_BROWSER: 'firefox' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, log] = await Promise.all([run.stdout, run.stderr].map((stream) => new Response(stream).text()))
    const failures = `${output}${log}`.split('\n').filter((line) => line.startsWith('(fail)'))
    expect({ code: await run.exited, failures }).toEqual({ code: 0, failures: [] })
  },
  180_000,
)
