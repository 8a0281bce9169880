// Players and podcast apps of Debian on stream links and feeds. Each is skipped by its name where it is absent.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
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
import { tone } from '../../support/audio.ts'
import type { Json } from '../../support/service.ts'
import { installPackages, run, succeed } from './packages.ts'

setDefaultTimeout(90_000)

const SECONDS = 3
/** VLC refuses to run as root. Another user may not write into the folders of tests, so that it writes to a file that is open. */
const asUser = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []

let place: Place
let service: ServiceProcess
let folder: string
let links: string[]
let feed: string
/** Stream link for an adaptive stream, without the extension of its playlists. */
let adaptiveLink: string
beforeAll(async () => {
  await installPackages()
  place = await createPlace()
  service = await startProcess(place)
  folder = await mkdtemp(join(tmpdir(), 'tonearm-players-'))
  const { collection_id: collectionId, share_key: shareKey } = service.credentials
  const { token } = (await operate(SIGN_IN, { variables: service.credentials.admin })).signIn
  const variant = 'createVariant(input: { index: "adaptive", variantTypeId: ADAPTIVE }) { variant { id } }'
  const link = 'createShareKey(input: { title: "Adaptive", variant: "adaptive" }) { key }'
  const { createShareKey } = await operate(`mutation { ${variant} ${link} }`, { token })
  const trackIds = [await uploadTo(service, await tone(SECONDS)), await uploadTo(service, await tone(SECONDS))]
  for (const trackId of trackIds) await untilStatus(service, trackId, ['ready'])
  links = trackIds.map((trackId) => `${service.url}/v1/stream/${trackId}/${shareKey}.m4a`)
  adaptiveLink = `${service.url}/v1/stream/${trackIds[0]}/${createShareKey.key}`
  feed = `${service.url}/s/collection/${collectionId}/${shareKey}/feed.xml`
}, 300_000)
afterAll(async () => {
  await cleanUp(place)
  await rm(folder, { recursive: true, force: true })
})

const SIGN_IN =
  'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { token } }'

/** Runs an operation of GraphQL. */
async function operate(query: string, { variables = {}, token = '' }: { variables?: object; token?: string }) {
  const answer = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await answer.json()) as Json
  expect(errors).toBeUndefined()
  return data
}

/** Whether this machine lacks a program. */
const isAbsent = (name: string) => Bun.which(name) === null

describe.each<[string, () => string | undefined]>([
  ['a stream link', () => links[0]],
  ['a playlist of HTTP Live Streaming', () => `${adaptiveLink}.m3u8`],
])('%s', (_, getLink) => {
  const players: [name: string, (link: string, output: string) => string[]][] = [
    ['mpv', (link, output) => ['mpv', '--no-config', '--no-video', '--ao=pcm', `--ao-pcm-file=${output}`, link]],
    [
      'vlc',
      (link, output) => [
        ...['sh', '-c', `exec "$@" > ${output}`, 'sh', ...asUser, 'vlc', '-I', 'dummy', '--no-video'],
        ...['--sout', '#transcode{vcodec=none,acodec=s16l}:std{access=file,mux=wav,dst=-}', link, 'vlc://quit'],
      ],
    ],
  ]
  test.each(players.filter(([name]) => !isAbsent(name)))('%s plays all of it', async (name, commandFor) => {
    const link = getLink() ?? ''
    const output = join(folder, `${name}-${Bun.hash(link)}.wav`)
    await succeed(commandFor(link, output), { env: { HOME: folder } })
    const probe = ['ffprobe', '-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', output]
    const seconds = Number((await succeed(probe)).trim())
    // They play the padding of AAC, or a frame less.
    expect(Math.abs(seconds - SECONDS)).toBeLessThan(0.05)
  })
  for (const [name] of players.filter(([name]) => isAbsent(name)))
    test.skip(`${name} (Debian: ${name}) plays all of it`, () => {})
})

test.skipIf(isAbsent('gst-launch-1.0')).each(['m3u8', 'mpd'])(
  'GStreamer (Debian: gstreamer1.0-tools, gstreamer1.0-plugins-good, -bad and gstreamer1.0-libav) plays the %s',
  async (form) => {
    const sinks = ['audio-sink=fakesink sync=true', 'video-sink=fakesink']
    const beganMs = performance.now()
    await succeed(['gst-launch-1.0', '-q', 'playbin', `uri=${adaptiveLink}.${form}`, ...sinks])
    expect(performance.now() - beganMs).toBeGreaterThan((SECONDS - 0.1) * 1000)
  },
)

describe('a feed', () => {
  test.skipIf(isAbsent('gpo'))('gpodder (Debian: gpodder) downloads every episode', async () => {
    const env = { GPODDER_HOME: join(folder, 'gpodder'), HOME: folder }
    await mkdir(env.GPODDER_HOME)
    for (const command of [['subscribe', feed], ['update'], ['download']]) await succeed(['gpo', ...command], { env })
    const paths = [...new Bun.Glob('Downloads/**/*.m4a').scanSync(env.GPODDER_HOME)]
    expect(paths.length).toBe(links.length)
    for (const path of paths) expect(Bun.file(join(env.GPODDER_HOME, path)).size).toBeGreaterThan(10_000)
  })

  test.skipIf(isAbsent('newsboat'))('newsboat (Debian: newsboat) finds the sound of every episode', async () => {
    const [urls, cache] = [join(folder, 'urls'), join(folder, 'cache.db')]
    await Bun.write(urls, `${feed}\n`)
    await succeed(['newsboat', '-u', urls, '-c', cache, '-C', '/dev/null', '-x', 'reload'], { env: { HOME: folder } })
    using database = new Database(cache, { readonly: true })
    const items = database.query('SELECT enclosure_url AS url, enclosure_type AS type FROM rss_item').all()
    const expected = links.map((url) => ({ url, type: 'audio/mp4' }))
    expect(items).toEqual(expect.arrayContaining(expected))
    expect(items.length).toBe(expected.length)
  })

  test('rss-parser and podcast-partytime read every episode', async () => {
    const output = await succeed([process.execPath, 'programs/feeds.ts'], { env: { FEED: feed } })
    const episodes = links.map((url) => [url, 'audio/mp4', SECONDS])
    const [rss, partytime] = JSON.parse(output)
    expect(rss.toSorted()).toEqual(episodes.map(([url, type]) => [url, type, String(SECONDS)]).toSorted())
    expect(partytime.toSorted()).toEqual(episodes.toSorted())
  })
})

test('Uppy uploads by tus, in chunks', async () => {
  const { collection_id: collectionId, share_key: _, api_key: key } = service.credentials
  const env = { BASE_URL: service.url, API_KEY: key, COLLECTION: collectionId, FILE: join(folder, 'tone.wav') }
  await Bun.write(env.FILE, await tone(SECONDS))
  const { stdout, stderr, exitCode } = await run([process.execPath, 'programs/uppy.ts'], { env })
  expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, ''])
  const { trackId, successful, failed } = JSON.parse(stdout)
  expect([successful, failed]).toEqual([1, []])
  const track = await untilStatus(service, trackId, ['ready'])
  expect(track.duration).toBe(SECONDS)
})
