import { beforeAll, describe, expect, test } from 'bun:test'
import { data, signIn } from '../../support/administrators.ts'
import { makeMedia } from '../../support/audio.ts'
import { processed, readTrack } from '../../support/processed.ts'
import { rebuildAs } from '../../support/rebuild.ts'
import { useTestService } from '../../support/service.ts'
import { variantId, variantsAs } from '../../support/variants.ts'

const service = useTestService()
let variants: ReturnType<typeof variantsAs>
let sound: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  variants = variantsAs(service, (await signIn(service)).token)
  sound = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=2:r=48000', '-af', 'adelay=3000,apad=pad_len=144000'], 'wav')
})

/** Length of the waveform in seconds, and the index of the file that it is measured on. */
async function waveformOf(id: string) {
  const { waveform } = (await readTrack(service, id)).files.waveform?.data ?? {}
  return { seconds: (waveform.length * waveform.samples_per_pixel) / waveform.sample_rate, of: waveform.variant_index }
}

/** Key of the stored levels. Each run that makes them has its own. */
async function levelsKey(trackId: string) {
  const { db } = service.services
  return (await db.trackFile.findFirstOrThrow({ where: { trackId, variant: { type: 'levels' } } })).storageKey
}

const STALE = 'query ($id: ID!) { track(id: $id) { files { isStale } } }'

describe('the waveform of a file that is replaced', () => {
  test.each(['apply', 'rebuild'])('is that of the new one after %s of that file alone', async (how) => {
    const { id } = await processed(service, sound, 'a.wav')
    expect(await waveformOf(id)).toMatchObject({ seconds: expect.closeTo(8, 1), of: 'hq' })
    const hq = await variantId(service, 'hq')
    const { props } = await service.services.db.variant.findUniqueOrThrow({ where: { id: hq } })
    await variants.update(hq, { isTrimSilence: true })
    if (how === 'apply') await variants.apply(hq)
    else await rebuildAs(service).rebuild(id, { variantIds: [hq] })
    await service.runJobs()
    expect(await waveformOf(id)).toMatchObject({ seconds: expect.closeTo(2.55, 1), of: 'hq' })
    const { track } = await data(service, STALE, { id }, service.demo.api_key)
    expect(track.files.some(({ isStale }: { isStale: boolean }) => isStale)).toBe(false)
    await service.services.db.variant.update({ where: { id: hq }, data: { props: props as object } })
  })

  test('remains when another file is replaced', async () => {
    const { id } = await processed(service, sound, 'a.wav')
    const before = await levelsKey(id)
    await rebuildAs(service).rebuild(id, { variantIds: [await variantId(service, 'lq')] })
    await service.runJobs()
    expect([before?.length, await levelsKey(id)]).toEqual([expect.any(Number), before])
  })
})
