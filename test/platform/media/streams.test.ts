import { beforeAll, describe, expect, test } from 'bun:test'
import { makeMedia } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'
import { sandboxedTools } from '../../support/tools.ts'

const service = useTestService(undefined, sandboxedTools)
beforeAll(async () => {
  // Other files of a recording do not depend on its streams.
  const where = { index: { in: ['lq', 'preview'] } }
  await service.services.db.variant.updateMany({ where, data: { deletedAt: new Date() } })
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
  const source = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=1.2']
  const eight = await makeMedia([...source, '-ac', '8', '-sample_fmt', 's32'], 'flac')
  const { track } = await processed(service, eight, 'eight.flac')
  expect(track.info).toMatchObject({ bit_depth: 24, channel_layout: '7.1', sample_rate: 48_000 })
  const query = 'query ($id: ID!) { track(id: $id) { info { bitDepth channelLayout channels } } }'
  const { data } = await service.graphql(query, { id: track.id })
  expect(data.track.info).toEqual({ bitDepth: 24, channelLayout: '7.1', channels: 8 })
}, 30_000)
