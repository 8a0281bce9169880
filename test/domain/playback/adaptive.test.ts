import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseKey } from '../../../src/domain/access/key/key.ts'
import { resolveProps } from '../../../src/domain/variant/service.ts'
import { makeKey, ok, UUID } from '../../spec/support.ts'
import { data, signIn } from '../../support/administrators.ts'
import { makeMedia, tone } from '../../support/audio.ts'
import { runTask } from '../../support/jobs.ts'
import { loudnessOf } from '../../support/loudness.ts'
import { lastingPort } from '../../support/ports.ts'
import { type Processed, processed, readTrack } from '../../support/processed.ts'
import { type Answer, type Json, uploadTrack, useTestService } from '../../support/service.ts'
import { FFMPEG, STATIC_FFMPEG } from '../../support/tools.ts'
import { variantsAs, withVariants } from '../../support/variants.ts'

const SECONDS = 20
/** Two samples of 16 bits. */
const FRAME_BYTES = 4
const RATES = [64, 128, 192]
const [port, edgePort] = [await lastingPort(), await lastingPort()]
const [publicUrl, edgeUrl] = [port, edgePort].map((at) => `http://127.0.0.1:${at}`)
const service = useTestService({
  PUBLIC_URL: `${publicUrl}`,
  EDGE_URL: `${edgeUrl}`,
  DELIVERY_URL: 'http://{org_domain}',
})
const servers: Bun.Server<undefined>[] = []
const variants: Record<string, string> = {}
let token: string
let admin: ReturnType<typeof variantsAs>
let played: Processed
let key: string

async function create(input: { index: string; variantTypeId: string; [parameter: string]: unknown }) {
  variants[input.index] = (await admin.create(input)).variant.id
}

beforeAll(async () => {
  const { gateway, edge } = service
  servers.push(Bun.serve({ port, hostname: '127.0.0.1', fetch: (request) => gateway(request) }))
  servers.push(Bun.serve({ port: edgePort, hostname: '127.0.0.1', fetch: (request) => edge(request) }))
  token = (await signIn(service)).token
  admin = variantsAs(service, token)
  await create({ index: 'hls', variantTypeId: 'ADAPTIVE', bitrates: RATES })
  await create({ index: 'same', variantTypeId: 'TRANSCODE', codec: 'aac', bitrate: 128 })
  played = await processed(service, await tone(SECONDS, 'wav', { rate: 48_000 }), 'a.wav')
  key = await makeKey(service, 'share', { variantId: variants.hls })
}, 60_000)
afterAll(() => Promise.all(servers.map((server) => server.stop(true))))

const get = (path: string) => service.request('GET', path, { key: null })
const linkTo = (extension: string, share = key) => `/v1/stream/${played.id}/${share}${extension}`
const locationOf = (answer: Answer) => new URL(answer.headers.get('location') ?? '')
/** Name of a file in the playlists of `played`. */
const fileOf = (rate: number, { files }: Processed = played) =>
  `${rate}.${files.hls.data.rates[rate].sha256.slice(0, 8)}.m4a`
const plays = () => service.services.db.playEvent.count()

/** Opens the stream, and returns the address of its parts. */
async function open(share = key): Promise<string> {
  const answer = await get(linkTo('.m3u8', share))
  expect(answer.status).toBe(302)
  const { origin, pathname } = locationOf(answer)
  expect(origin).toBe(`${publicUrl}`)
  expect(pathname).toEndWith('/master.m3u8')
  return pathname.slice(0, -'/master.m3u8'.length)
}

/** Decodes with a player that is not ours. @returns samples of 16 bits, both channels in turn */
async function decode(address: string): Promise<Uint8Array> {
  const args = ['-v', 'fatal', '-i', address, '-f', 's16le', '-c:a', 'pcm_s16le', 'pipe:1']
  const player = Bun.spawn([STATIC_FFMPEG ?? FFMPEG, ...args], { stdout: 'pipe', stderr: 'pipe' })
  const [bytes, errors] = await Promise.all([new Response(player.stdout).bytes(), new Response(player.stderr).text()])
  expect([errors, await player.exited]).toEqual(['', 0])
  return bytes
}

test('its files are in one row: the best one, and siblings with the others', async () => {
  const file = played.files.hls
  expect(file).toMatchObject({ is_success: true, content_type: 'audio/mp4', file_name: 'a.m4a' })
  expect(file.props).toMatchObject({ bitrates: RATES, sample_rate: 48_000, channels: 2 })
  expect(file.data.duration).toBe(SECONDS)
  expect(Object.keys(file.data.rates)).toEqual(RATES.map(String))
  const paths = RATES.map((rate) => file.path.replace('.m4a', `.${fileOf(rate)}`))
  expect(Object.values<Json>(file.data.rates).map(({ path }) => path)).toEqual(paths)
  expect(file.data.rates[192]).toMatchObject({ size: file.size, is_main: true })
  expect((await service.objects.keys()).filter((object) => object.includes(variants.hls ?? '')).length).toBe(
    RATES.length,
  )
  for (const rate of Object.values<Json>(file.data.rates)) {
    const answer = await service.fetchEdge(rate.url)
    expect(answer.status).toBe(200)
    expect(Number(answer.headers.get('content-length'))).toBe(rate.size)
    expect(rate.size * 8).toBeWithin(rate.average_bitrate * SECONDS, rate.average_bitrate * SECONDS + 16_000)
    expect(rate.peak_bitrate).toBeGreaterThanOrEqual(rate.average_bitrate)
  }
})

test('GraphQL shows its rates, and the parameters of its variant', async () => {
  const query = `query ($id: ID!) { track(id: $id) { files { variant { index } props { ... on AdaptiveProps { bitrates } }
    data { ... on AdaptiveData { duration rates { bitrate averageBitrate peakBitrate size sha256 } } } } } }`
  const { track } = (await service.graphql(query, { id: played.id })).data
  const file = track.files.find(({ variant }: Json) => variant.index === 'hls')
  expect(file.props).toEqual({ bitrates: RATES })
  const rates = RATES.map((bitrate) => {
    const { average_bitrate, peak_bitrate, size, sha256 } = played.files.hls.data.rates[bitrate]
    return { bitrate, averageBitrate: average_bitrate, peakBitrate: peak_bitrate, size, sha256 }
  })
  expect(file.data).toEqual({ duration: SECONDS, rates })
})

test('a new index of its variant renames all of its files when it is applied, and its share keys play on', async () => {
  const rename = async (index: string) => {
    await admin.update(variants.hls ?? '', { index })
    await admin.apply(variants.hls ?? '')
    await service.runJobs()
  }
  await rename('stream')
  try {
    const { files } = await readTrack(service, played.id)
    const rates = Object.values<Json>(files.stream.data.rates)
    expect(rates.map(({ path }) => path.split('_').at(-1))).toEqual(RATES.map((rate) => `stream.${fileOf(rate)}`))
    for (const { url } of rates) expect((await service.fetchEdge(url)).status).toBe(200)
    const parts = await open()
    expect((await get(`${parts}/128.m3u8`)).status).toBe(200)
  } finally {
    await rename('hls')
  }
})

test('each rate has the loudness of its variant, without the silence at its ends', async () => {
  await create({ index: 'loud', variantTypeId: 'ADAPTIVE', bitrates: RATES, normalize: -20, isTrimSilence: true })
  const ends = 'adelay=2000|2000,apad=pad_len=96000'
  const sound = await makeMedia(['-f', 'lavfi', '-i', `sine=440:r=48000:d=4,pan=stereo|c0=c0|c1=c0,${ends}`], 'wav')
  const { files } = await withVariants(service, ['loud'], () => processed(service, sound, 'ends.wav'))
  const { capture_start, capture_end } = files.loud.props
  expect([capture_start, capture_end].map((seconds) => seconds.toFixed(3))).toEqual(['1.950', '6.500'])
  expect(files.loud.data.duration).toBe(4.55)
  for (const { url } of Object.values<Json>(files.loud.data.rates)) {
    const bytes = await (await service.fetchEdge(url)).arrayBuffer()
    const { lufs } = await loudnessOf(new Uint8Array(bytes))
    expect(Math.abs(lufs + 20)).toBeLessThan(0.25)
  }
  await admin.remove(variants.loud ?? '')
}, 30_000)

test('its objects are removed with its track', async () => {
  const { id, files } = await processed(service, await tone(1), 'removed.wav')
  const { storageKey } = await service.services.db.trackFile.findUniqueOrThrow({ where: { id: files.hls.id } })
  const stem = String(storageKey).replace(/\.m4a$/, '')
  const count = async () => (await service.objects.keys(stem)).length
  expect(await count()).toBe(RATES.length)
  ok(await service.v1('DELETE', `/track/${id}`))
  service.clock.now = new Date(Date.now() + 8 * 86_400_000)
  await runTask(service.services, 'purge_deleted')
  await runTask(service.services, 'purge_deleted')
  service.clock.now = null
  expect(await count()).toBe(0)
})

describe('HTTP Live Streaming', () => {
  test('a stream link with .m3u8 redirects to the master playlist, and counts one play', async () => {
    const before = await plays()
    const parts = await open()
    expect(await plays()).toBe(before + 1)
    const master = await get(`${parts}/master.m3u8`)
    expect(master.headers.get('content-type')).toBe('application/vnd.apple.mpegurl')
    expect(master.headers.get('access-control-allow-origin')).toBe('*')
    expect(master.headers.get('x-request-id')).toMatch(UUID)
    const lines = master.text.split('\n')
    expect(lines.slice(0, 3)).toEqual(['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'])
    // Players begin with the first one.
    expect(lines.filter((line) => line.endsWith('.m3u8'))).toEqual(['128.m3u8', '64.m3u8', '192.m3u8'])
    const { rates } = played.files.hls.data
    expect(lines).toContain(
      `#EXT-X-STREAM-INF:BANDWIDTH=${rates[64].peak_bitrate},AVERAGE-BANDWIDTH=${rates[64].average_bitrate},CODECS="mp4a.40.2"`,
    )
    for (const name of ['128.m3u8', fileOf(64)]) await get(`${parts}/${name}`)
    expect(await plays()).toBe(before + 1)
  })

  test('segments cover each file without a gap, and end at the same times in all of them', async () => {
    const parts = await open()
    const ends: string[][] = []
    for (const rate of RATES) {
      const { text } = await get(`${parts}/${rate}.m3u8`)
      const ranges = [...text.matchAll(/BYTERANGE[:=]"?(\d+)@(\d+)/g)].map(([, length, at]) => [
        Number(at),
        Number(length),
      ])
      const { header_bytes, index_bytes, size } = played.files.hls.data.rates[rate]
      expect(ranges[0]).toEqual([0, header_bytes])
      let at = header_bytes + index_bytes
      for (const [start = 0, length = 0] of ranges.slice(1)) {
        expect(start).toBe(at)
        at += length
      }
      expect(at).toBe(size)
      const lengths = [...text.matchAll(/#EXTINF:([\d.]+),/g)].map(([, seconds]) => Number(seconds))
      expect(lengths.reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(SECONDS, 4)
      const target = Number(/TARGETDURATION:(\d+)/.exec(text)?.[1])
      for (const seconds of lengths) expect(Math.round(seconds)).toBeLessThanOrEqual(target)
      expect(text).toEndWith('#EXT-X-ENDLIST\n')
      ends.push(lengths.map(String))
    }
    expect(ends[1]).toEqual(ends[0] ?? [])
    expect(ends[2]).toEqual(ends[0] ?? [])
    expect(ends[0]?.length).toBe(4)
  })

  test('a player decodes the samples of the single file with the same bit rate', async () => {
    const parts = await open()
    const single = await decode(played.files.same.url)
    const streamed = await decode(`${publicUrl}${parts}/128.m3u8`)
    // Version 5 does not skip the encoder's delay of fragments.
    const delayBytes = STATIC_FFMPEG ? 0 : 1024 * FRAME_BYTES
    // Neither version ends with the sound, but plays the padding of the last frame.
    const soundBytes = SECONDS * 48_000 * FRAME_BYTES
    expect(single.length).toBeGreaterThanOrEqual(soundBytes)
    expect(Buffer.compare(streamed.subarray(delayBytes, delayBytes + soundBytes), single.subarray(0, soundBytes))).toBe(
      0,
    )
  }, 30_000)

  test('a player that changes the rate at every segment plays a sine without a break', async () => {
    const parts = await open()
    const ranges = async (rate: number) =>
      [...(await get(`${parts}/${rate}.m3u8`)).text.matchAll(/BYTERANGE[:=]"?(\d+)@(\d+)/g)].map(
        ([, length, at]) => [Number(at), Number(at) + Number(length)] as const,
      )
    const files = await Promise.all(
      RATES.map(async (rate) => {
        const file = await service.fetchEdge(locationOf(await get(`${parts}/${fileOf(rate)}`)).href)
        return { bytes: Buffer.from(await file.arrayBuffer()), ranges: await ranges(rate) }
      }),
    )
    const [header, ...segments] = files[0]?.ranges ?? []
    const pieces = [header, ...segments].map((_, n) => {
      const { bytes, ranges = [] } = files[n % files.length] ?? {}
      return bytes?.subarray(...(ranges[n] ?? [0, 0])) ?? Buffer.alloc(0)
    })
    expect(pieces.length).toBe(5)
    const path = join(service.dataDir, 'mixed.mp4')
    await Bun.write(path, Buffer.concat(pieces))
    const delay = STATIC_FFMPEG ? 0 : 1024 * FRAME_BYTES
    const [mixed, best] = [await decode(path), await decode(`${publicUrl}${parts}/192.m3u8`)].map(
      (bytes) => new Int16Array(bytes.buffer, delay, SECONDS * 48_000 * 2),
    )
    const amplitude = Math.max(...(best?.subarray(0, 48_000) ?? []))
    const difference = mixed?.reduce((most, sample, at) => Math.max(most, Math.abs(sample - (best?.[at] ?? 0))), 0)
    // A frame too many or too few would shift the sine by 0.4 of a wave: up to twice its amplitude.
    expect(difference).toBeLessThan(amplitude / 10)
  })

  test('the address of a file redirects to a signed URL, which answers its ranges', async () => {
    const parts = await open()
    const answer = await get(`${parts}/${fileOf(64)}`)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store'])
    const range = { headers: { range: 'bytes=4-7' } }
    const bytes = await service.fetchEdge(locationOf(answer).href, range)
    expect([bytes.status, await bytes.text()]).toEqual([206, 'ftyp'])
  })
})

describe('MPEG-DASH', () => {
  test('a stream link with .mpd redirects to a manifest with the index of each file', async () => {
    const answer = await get(linkTo('.mpd'))
    const { text, headers } = await get(locationOf(answer).pathname)
    expect(headers.get('content-type')).toBe('application/dash+xml')
    expect(text).toContain(`mediaPresentationDuration="PT${SECONDS}S"`)
    for (const rate of RATES) {
      const { header_bytes, index_bytes, peak_bitrate } = played.files.hls.data.rates[rate]
      expect(text).toContain(
        [
          `<Representation id="${rate}" bandwidth="${peak_bitrate}">`,
          `<BaseURL>${fileOf(rate)}</BaseURL>`,
          `<SegmentBase indexRange="${header_bytes}-${header_bytes + index_bytes - 1}">`,
          `<Initialization range="0-${header_bytes - 1}"/>`,
        ].join('\n'),
      )
    }
  })
})

describe('a stream link of another form', () => {
  test('redirects to the best file without an extension, so that any player plays it', async () => {
    expect(locationOf(await get(linkTo(''))).pathname).toBe(`/${played.files.hls.path}`)
    for (const extension of ['.m4a', '.constructor'])
      expect(locationOf(await get(linkTo(extension))).pathname).toBe(`/${played.files.hls.path}`)
  })

  test('of another variant redirects to its file, with any extension', async () => {
    const same = await makeKey(service, 'share', { variantId: variants.same })
    for (const extension of ['.m3u8', '.mpd', '.constructor'])
      expect(locationOf(await get(linkTo(extension, same))).pathname).toBe(`/${played.files.same.path}`)
  })
})

test('its feed has the playlist next to the file', async () => {
  const { collection_id } = service.demo
  const { status, text } = await get(`/s/collection/${collection_id}/${key}/feed.xml`)
  expect(status).toBe(200)
  const stream = `${publicUrl}${linkTo('')}`
  expect(text).toContain(`<enclosure url="${stream}.m4a" length="${played.files.hls.size}" type="audio/mp4"/>`)
  expect(text).toContain(
    `<podcast:alternateEnclosure type="application/x-mpegURL"><podcast:source uri="${stream}.m3u8"/></podcast:alternateEnclosure>`,
  )
  const same = await makeKey(service, 'share', { variantId: variants.same })
  expect((await get(`/s/collection/${collection_id}/${same}/feed.xml`)).text).not.toContain('alternateEnclosure')
})

test('the limits of its key count the opening, and those who have opened it play on', async () => {
  const input = { title: 'One play', variant: 'hls', maxPlays: 1 }
  const create = 'mutation ($input: CreateShareKeyInput!) { createShareKey(input: $input) { key } }'
  const share = (await data(service, create, { input }, token)).createShareKey.key
  const openAs = (agent: string) =>
    service.request('GET', linkTo('.m3u8', share), { key: null, headers: { 'user-agent': agent } })
  const opened = await openAs('Overcast/3.0')
  expect(opened.status).toBe(302)
  const refused = await openAs('Castro/2.0')
  expect([refused.status, refused.headers.get('tonearm-refusal')]).toEqual([403, 'plays'])
  const parts = locationOf(opened).pathname.slice(0, -'/master.m3u8'.length)
  expect((await get(`${parts}/64.m3u8`)).status).toBe(200)
  expect((await get(`${parts}/${fileOf(64)}`)).status).toBe(302)
})

describe('the end of a stream', () => {
  const statusOf = async (parts: string, file = fileOf(64)) => (await get(`${parts}/${file}`)).status

  test('comes with a revoked key', async () => {
    const share = await makeKey(service, 'share', { variantId: variants.hls })
    const parts = await open(share)
    expect(await statusOf(parts)).toBe(302)
    await service.services.db.apiKey.updateMany({
      where: { hash: parseKey(share)?.hash },
      data: { revokedAt: new Date() },
    })
    expect(await statusOf(parts)).toBe(404)
    expect((await get(linkTo('.m3u8', share))).status).toBe(404)
  })

  test('comes with the deletion of its track', async () => {
    const deleted = await processed(service, await tone(2), 'deleted.wav')
    const answer = await get(`/v1/stream/${deleted.id}/${key}.m3u8`)
    const address = `${locationOf(answer).pathname.slice(0, -'/master.m3u8'.length)}/${fileOf(64, deleted)}`
    const { href } = locationOf(await get(address))
    expect((await service.fetchEdge(href)).status).toBe(200)
    ok(await service.v1('DELETE', `/track/${deleted.id}`))
    // The answer to a deletion is the end of deliveries, also of siblings.
    expect((await service.fetchEdge(href)).status).toBe(403)
    expect((await get(address)).status).toBe(404)
  })

  test('comes 24 hours after it was opened, which is longer than any signed URL', async () => {
    const openedMs = Date.now()
    service.clock.now = new Date(openedMs)
    try {
      const parts = await open()
      service.clock.now = new Date(openedMs + 86_390_000)
      expect(await statusOf(parts)).toBe(302)
      service.clock.now = new Date(openedMs + 86_401_000)
      expect(await statusOf(parts)).toBe(404)
    } finally {
      service.clock.now = null
    }
  })

  test('a grant opens no other track, and no changed one opens anything', async () => {
    const parts = await open()
    const [, , , trackId = '', grant = ''] = parts.split('/')
    const other = await uploadTrack(service, await tone(1))
    await service.runJobs()
    const [expires = '', id = '', tag = ''] = grant.slice(1).split('.')
    const changed = [
      [other, grant],
      [trackId, `s${expires}.${id}.${tag}`],
      [trackId, `k${Number(expires) + 1}.${id}.${tag}`],
      [trackId, `k${expires}.${variants.hls}.${tag}`],
      [trackId, `k${expires}.${id}.${'A'.repeat(43)}`],
      [trackId, 'k'],
    ]
    expect(await statusOf(parts)).toBe(302)
    for (const [track, text] of changed) expect(await statusOf(`/v1/adaptive/${track}/${text}`)).toBe(404)
  })

  test('a part that the stream does not have is not found', async () => {
    const parts = await open()
    for (const name of [
      '64.m4a',
      '64.00000000.m4a',
      '96.m3u8',
      '64.mp3',
      '64',
      'master.m3u',
      '../master.m3u8',
      '064.m4a',
      '%00.m4a',
    ])
      expect(await statusOf(parts, name), name).toBe(404)
  })
})

describe('a play session', () => {
  const createSession = async (body: object = {}) =>
    ok(await service.v1('POST', '/play_session/track', { body: { track_id: played.id, ...body } }))

  test('has the addresses of its first adaptive stream, which end with it', async () => {
    const opened = await createSession({ expires_in: 60 })
    const { hls_url: hlsUrl, dash_url: dashUrl } = opened.first_track
    const parts = new URL(hlsUrl).pathname.slice(0, -'/master.m3u8'.length)
    expect(dashUrl).toBe(hlsUrl.replace('master.m3u8', 'manifest.mpd'))
    for (const name of ['master.m3u8', 'manifest.mpd', '128.m3u8'])
      expect((await get(`${parts}/${name}`)).status, name).toBe(200)
    expect((await get(`${parts}/${fileOf(128)}`)).status).toBe(302)
    service.clock.now = new Date(Date.now() + 61_000)
    try {
      expect((await get(`${parts}/master.m3u8`)).status).toBe(404)
    } finally {
      service.clock.now = null
    }
  })

  test('has none if it plays other variants only, and GraphQL says the same', async () => {
    const without = await createSession({ variants: ['same'] })
    expect(without.first_track).toMatchObject({ hls_url: null, dash_url: null })
    const query = `query ($id: ID!, $track: ID!) { playSession(id: $id) { playback(trackId: $track) { hlsUrl dashUrl } } }`
    const read = async (id: string) =>
      (await service.graphql(query, { id, track: played.id }, null)).data.playSession.playback
    expect(await read(without.play_session_id)).toEqual({ hlsUrl: null, dashUrl: null })
    const { play_session_id, first_track } = await createSession()
    expect(await read(play_session_id)).toEqual({ hlsUrl: first_track.hls_url, dashUrl: first_track.dash_url })
  })
})

test('bit rates must ascend, and be 1 to 6 of 64 to 320 kbps', () => {
  const read = (bitrates: unknown) => () => resolveProps('adaptive', { bitrates })
  expect(resolveProps('adaptive', {})).toMatchObject({ bitrates: [64, 128, 256] })
  expect(read([320])()).toMatchObject({ bitrates: [320] })
  for (const wrong of [[], [63], [321], [128, 64], [64, 64], [64.5], [64, 96, 128, 160, 192, 256, 320], 64, ['64']])
    expect(read(wrong), JSON.stringify(wrong)).toThrow(/^bitrates/)
})
