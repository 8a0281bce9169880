import { beforeAll, describe, expect, test } from 'bun:test'
import { makeMedia } from '../../support/audio.ts'
import { formats } from '../../support/formats.ts'
import { measureFile, processed, readTrack } from '../../support/processed.ts'
import { uploadTrack, useTestService } from '../../support/service.ts'

const service = useTestService()
const uploads = new Map<string, string>()
beforeAll(async () => {
  // What else is made of a recording does not depend on its container.
  const where = { index: { in: ['lq', 'preview'] } }
  await service.services.db.variant.updateMany({ where, data: { deletedAt: new Date() } })
  for (const { name, make } of formats) uploads.set(name, await uploadTrack(service, await make(), name))
  await Promise.all([service.runJobs(), service.runJobs()])
}, 240_000)

/** Padding of encoders with fixed frames. */
const PADDING_SECONDS = 0.12

describe('common uploads become ready', () => {
  test.each(formats)(
    '$name',
    async ({ name, codec, seconds, channels = 1 }) => {
      const { track, files } = await readTrack(service, uploads.get(name) ?? '')
      const { track_status_id: status, status_code: code, info } = track
      expect({ status, code }).toEqual({ status: 'ready', code: null })
      expect(info).toMatchObject({ codec, channels })
      expect(Math.abs(track.duration - seconds)).toBeLessThan(PADDING_SECONDS)
      const found = await measureFile(service, files.hq)
      expect([found.codec, found.channels]).toEqual(['aac', Math.min(2, channels)])
      expect(Math.abs(found.durationSeconds - track.duration)).toBeLessThan(PADDING_SECONDS)
      // A sine of an eighth of full scale in one of the channels; hand-written files contain silence.
      const isSilent = /amr|dsf/.test(name)
      expect(files.waveform.data.max).toBeGreaterThan(isSilent ? -1 : 0.06 / channels)
    },
    30_000,
  )
})

describe('of several streams', () => {
  const two = ['-f', 'lavfi', '-i', 'sine=frequency=440:d=1', '-f', 'lavfi', '-i', 'sine=frequency=440:d=2']
  const maps = [...two, '-map', '0', '-map', '1', '-c:a', 'flac']

  test('the default one is processed, as players do', async () => {
    const bytes = await makeMedia([...maps, '-disposition:a:0', '0', '-disposition:a:1', 'default'], 'mka')
    const { track } = await processed(service, bytes, 'two.mka')
    expect(track.duration).toBeCloseTo(2, 2)
  }, 30_000)

  test('the first if none is the default', async () => {
    const bytes = await makeMedia([...maps, '-disposition:a', '0'], 'mka')
    const { track } = await processed(service, bytes, 'two.mka')
    expect(track.duration).toBeCloseTo(1, 2)
  }, 30_000)

  test('a decodable one if the default is not', async () => {
    const codecs = [
      '-c:a:0',
      'g723_1',
      '-b:a:0',
      '6300',
      '-ar:a:0',
      '8000',
      '-disposition:a:0',
      'default',
      '-disposition:a:1',
      '0',
    ]
    const { track } = await processed(service, await makeMedia([...maps, ...codecs], 'mka'), 'two.mka')
    expect([track.status_code, track.info.codec]).toEqual([null, 'flac'])
  }, 30_000)
})

test('the info of a recording describes its encoding', async () => {
  const deep = formats.find(({ name }) => name === 'eight.flac')
  const { track } = await processed(service, (await deep?.make()) ?? new Uint8Array(), 'eight.flac')
  expect(track.info).toMatchObject({ bit_depth: 24, channel_layout: '7.1', sample_rate: 48_000 })
  const query = 'query ($id: ID!) { track(id: $id) { info { bitDepth channelLayout channels } } }'
  const { data } = await service.graphql(query, { id: track.id })
  expect(data.track.info).toEqual({ bitDepth: 24, channelLayout: '7.1', channels: 8 })
}, 30_000)
