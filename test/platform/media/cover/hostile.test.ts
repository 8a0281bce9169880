import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkHost } from '../../../../src/platform/media/ffmpeg/host-fault.ts'
import { makeMedia } from '../../../support/audio.ts'
import { coverOf } from '../../../support/cover.ts'
import { pngHolding, stripes } from '../../../support/picture.ts'
import { until } from '../../../support/until.ts'

type Bytes = Uint8Array<ArrayBuffer>
const text = (content: string): Bytes => new Uint8Array(Buffer.from(content, 'latin1'))
const joined = (...parts: Uint8Array[]): Bytes => new Uint8Array(Buffer.concat(parts))
const red = stripes(600, [[600, [200, 0, 0]]])
let jpeg: Bytes
beforeAll(async () => {
  jpeg = await makeMedia(['-f', 'lavfi', '-i', 'testsrc=s=600x600', '-frames:v', '1'], 'jpg')
})

/** Reason why a cover could not be generated. */
const refusal = (picture: Bytes, tools?: { sandbox: string[]; pictureView: null }) =>
  coverOf(picture, { tools }).then(
    () => 'made',
    (error) => error.code,
  )

describe('files that never reach a decoder', () => {
  test.each([
    { what: 'SVG', bytes: text('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>') },
    { what: 'PDF', bytes: text('%PDF-1.7\n') },
    { what: 'EPS', bytes: text('%!PS-Adobe-3.0 EPSF-3.0\n') },
    { what: 'MVG', bytes: text('push graphic-context\nimage over 0,0 0,0 "https://example.com/"\n') },
    { what: 'TIFF', bytes: text('II*\0\x08\0\0\0') },
    { what: 'HEIF', bytes: text('\0\0\0\x18ftypheic\0\0\0\0mif1heic') },
    { what: 'nothing', bytes: text('') },
    { what: 'a signature behind a blank', bytes: joined(text(' '), red) },
  ])('$what', async ({ bytes }) => {
    // A program that would be started would be this one.
    expect(await refusal(bytes, { sandbox: ['/nonexistent'], pictureView: null })).toBe('not_an_image')
  })
})

describe('files that a decoder rejects', () => {
  test.each([
    { what: '900 million pixels in 110 kB', code: 'image_too_large', bytes: () => bomb(30_000, 30_000) },
    { what: 'a line of a billion pixels', code: 'image_too_large', bytes: () => bomb(1_000_000, 1000) },
    { what: 'a header that promises more than there is', code: 'not_an_image', bytes: () => bomb(5000, 5000, 10) },
    { what: 'a PNG without a pixel', code: 'not_an_image', bytes: () => bomb(0, 10) },
    { what: 'a JPEG that breaks off', code: 'not_an_image', bytes: () => jpeg.slice(0, jpeg.length >> 1) },
    { what: 'a PNG that breaks off', code: 'not_an_image', bytes: () => red.slice(0, red.length - 40) },
    { what: 'a WebP of noise', code: 'not_an_image', bytes: () => joined(text('RIFF\x40\0\0\0WEBPVP8 '), jpeg) },
    {
      what: 'a script behind a signature',
      code: 'not_an_image',
      bytes: () => joined(text('GIF89a'), text('=alert(1);//')),
    },
  ])('$what', async ({ bytes, code }) => {
    const begun = performance.now()
    expect(await refusal(bytes())).toBe(code)
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  /** Black, one bit a pixel. */
  const bomb = (width: number, height: number, rows = height) =>
    pngHolding({ width, height, depth: 1, colorType: 0 }, new Uint8Array((Math.ceil(width / 8) + 1) * rows))

  test('data after a picture is dropped', async () => {
    const { sizes } = await coverOf(joined(jpeg, text('<script>alert(1)</script>PK\x03\x04')))
    const hasScript = (bytes: Bytes) => Buffer.from(bytes).includes('script')
    const scripts = Object.entries(sizes).map(([size, { jpg, webp }]) => [size, hasScript(jpg), hasScript(webp)])
    expect(scripts).toEqual(['icon', 'small', 'regular', 'large'].map((size) => [size, false, false]))
  })
})

describe('a failing decoder', () => {
  const report = (content: object) => `echo '${JSON.stringify(content)}'`
  /** Leaves out prlimit and its options, which would fail below other limits. */
  const withoutLimits = (script: string) => `case $1 in *prlimit) shift 4; esac; ${script}`
  const shell = (script: string) => ({ sandbox: ['/bin/sh', '-c', script, 'sh'], pictureView: null })

  test.each([
    { how: 'crashes', script: 'kill -SEGV $$' },
    { how: 'runs out of memory', script: withoutLimits('ulimit -d 60000; exec "$@"') },
    { how: 'runs out of time', script: 'ulimit -S -t 1; while :; do :; done' },
    { how: 'says something else', script: 'echo "{\\"sizes\\":[],\\"theme\\":[]}"' },
    { how: 'never stops talking', script: 'yes' },
    { how: 'says nothing', script: 'exit 0' },
  ])('one that $how has a reason', async ({ script }) => {
    expect(await refusal(red, shell(script))).toBe('image_decoder_failed')
  })

  test.each([
    { what: 'is killed', code: 'killed', script: 'kill -KILL $$' },
    { what: 'is not started', code: 'not_started', script: 'exit 126' },
    { what: 'cannot write', code: 'disk_full', script: 'chmod 500 .; mkdir cover-icon.jpg; exec "$@"' },
    { what: 'does not load', code: 'images_unavailable', script: report({ fault: 'unavailable', detail: '' }) },
  ])('one that $what is a fault of the host', async ({ code, script }) => {
    expect(await refusal(red, shell(script))).toBe(code)
  })

  test('is a fault of the host when a busy machine delays it, of the picture when it computes', () => {
    const late = {
      exitCode: null,
      signal: 'SIGKILL',
      stderr: '',
      timedOut: false,
      hasStarted: true,
      hostFault: null,
    }
    const check = (how: object) => () => checkHost([{ ...late, cpuMs: 0, ...how }], 30)
    expect(check({ timedOut: true, cpuMs: 20_000 })).toThrow('deadline_missed')
    expect(check({ cpuMs: 23_000 })).toThrow('killed')
    expect(check({ cpuMs: 24_000 })).not.toThrow()
  })

  test('an abort kills it with its descendants', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tonearm-test-'))
    const file = join(folder, 'pid')
    try {
      const stop = new AbortController()
      const waiting = coverOf(red, { tools: shell(`sleep 600 & echo $! > ${file}; wait`), signal: stop.signal })
      const pid = () => Number(Bun.file(file).size > 0 ? readFileSync(file, 'utf8') : 0)
      await until('the program to start', 20_000, () => pid() > 0)
      stop.abort()
      expect(await waiting.catch((error) => error.name)).toBe('AbortError')
      await until('the program to end', 20_000, () => !isRunning(pid()))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  function isRunning(pid: number): boolean {
    try {
      // A process that has ended may still be listed until its parent has looked.
      return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    } catch {
      return false
    }
  }
})

test('works without any wrapper', async () => {
  expect((await coverOf(red, { tools: { sandbox: [], pictureView: null } })).theme).toHaveLength(1)
})
