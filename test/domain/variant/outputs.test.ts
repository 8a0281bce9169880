// Organization-wide variants with parameters that variants of a single track do not have.
import { beforeAll, describe, expect, test } from 'bun:test'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'

const recipes: Record<string, object> = {
  mp3: { codec: 'mp3' },
  mp3_cbr: { codec: 'mp3', bitrate_mode: 'cbr' },
  mp3_vbr: { codec: 'mp3', bitrate_mode: 'vbr' },
  opus: { codec: 'opus' },
  opus_cbr: { codec: 'opus', bitrate_mode: 'cbr' },
  opus_vbr: { codec: 'opus', bitrate_mode: 'vbr' },
}

const service = useTestService()
beforeAll(async () => {
  const { db } = service.services
  await db.variant.updateMany({ data: { deletedAt: new Date() } })
  for (const [index, given] of Object.entries(recipes)) {
    const type = index.startsWith('clip') ? ('preview' as const) : ('transcode' as const)
    const { organization_id: organizationId } = service.demo
    await insertVariant(db, { organizationId, trackId: null, type, index, props: resolveProps(type, given) })
  }
}, 60_000)

const bytesOf = async ({ url }: Json) => Buffer.from(await (await service.fetchEdge(url)).arrayBuffer())

describe('a recording with silence in it', () => {
  let files: Record<string, Json>
  beforeAll(async () => {
    const noise = "anoisesrc=d=6:r=48000:seed=3:a=0.3,volume='if(between(t,2,5),0,1)':eval=frame"
    files = (await processed(service, await makeMedia(['-f', 'lavfi', '-i', noise, '-ac', '2'], 'wav'), 'a.wav')).files
  }, 60_000)

  test.each(['mp3_cbr', 'opus_cbr'])('has the bit rate in every second: %s', (index) => {
    expect(Math.abs(files[index].props.measured_bitrate - 128)).toBeLessThan(128 * 0.03)
  })

  test.each(['mp3_vbr', 'opus_vbr'])('takes less in the silence: %s', (index) => {
    expect(files[index].props.measured_bitrate).toBeLessThan(128 * 0.8)
  })

  test.each([
    ['mp3', 'mp3_cbr'],
    ['opus', 'opus_vbr'],
  ])('has the mode of its encoder by default: %s as %s', async (index, same) => {
    expect(Buffer.compare(await bytesOf(files[index]), await bytesOf(files[same]))).toBe(0)
  })
})
