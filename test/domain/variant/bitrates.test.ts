import { afterAll, beforeAll, expect, test } from 'bun:test'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import { heardSeconds, measureFile, processed } from '../../support/processed.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const codecs = { aac: 'aac', mp3: 'mp3', ogg: 'vorbis', opus: 'opus' }
const bitrates = [12, 32, 64, 128, 320]
const recipes = Object.keys(codecs).flatMap((codec) =>
  bitrates.flatMap((bitrate) => [true, false].map((is_stereo) => ({ codec, bitrate, is_stereo }))),
)
const indexOf = ({ codec, bitrate, is_stereo }: (typeof recipes)[number]) =>
  `${codec}-${bitrate}-${is_stereo ? 'stereo' : 'mono'}`

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  const { db } = service.services
  await db.variant.updateMany({ data: { deletedAt: new Date() } })
  for (const recipe of recipes) {
    await insertVariant(db, {
      organizationId: service.demo.organization_id,
      trackId: null,
      type: 'transcode',
      index: indexOf(recipe),
      props: resolveProps('transcode', recipe),
    })
  }
}, 60_000)
afterAll(() => service.stop())

const SECONDS = 1.5
/** Containers begin with up to 5 kB that no bit rate counts. */
const HEADER_BITS = 40_000
const TOLERANCE_SECONDS = 0.05
const noise = (rate: number, channels: number) => {
  const source = `anoisesrc=color=pink:sample_rate=${rate}:duration=${SECONDS}:amplitude=0.4:seed=1`
  return makeMedia(['-f', 'lavfi', '-i', source, '-ac', String(channels)], 'wav')
}

/** Every codec at every bit rate that the specification allows, from the two ends of what is uploaded. */
test.each([
  [44_100, 2],
  [8000, 1],
])(
  'a recording of %d Hz and %d channels can be made into every one',
  async (rate, channels) => {
    const { track, files } = await processed(service, await noise(rate, channels), 'a.wav')
    const failed = Object.values(files).filter((file) => !file.is_success)
    expect(failed.map((file) => `${file.variant.index}: ${file.status_text}`)).toEqual([])
    expect(track.track_status_id).toBe('ready')
    const faults: string[] = []
    // Of a mono source both are the same, and the ends are what its low rate makes difficult.
    const isWorthIt = ({ bitrate, is_stereo }: (typeof recipes)[number]) => !is_stereo && [12, 320].includes(bitrate)
    for (const recipe of channels === 2 ? recipes : recipes.filter(isWorthIt)) {
      const file = files[indexOf(recipe)]
      const found = await measureFile(service, file)
      const wanted = recipe.is_stereo ? channels : 1
      const about = `${indexOf(recipe)} of ${rate}/${channels}`
      if (found.codec !== codecs[recipe.codec as 'aac']) faults.push(`${about}: codec ${found.codec}`)
      if (found.channels !== wanted) faults.push(`${about}: ${found.channels} channels`)
      const isExact = Math.abs(found.durationSeconds - SECONDS) <= TOLERANCE_SECONDS
      // ffprobe before 6 counts the padding of an MP3 that every player skips.
      const heard = isExact || recipe.codec !== 'mp3' ? found.durationSeconds : await heardSeconds(service, file)
      if (Math.abs(heard - SECONDS) > TOLERANCE_SECONDS) faults.push(`${about}: lasts ${heard} s`)
      // What can be spent depends on bandwidth and channels; far more than was asked for would be a fault.
      if (found.bitRate > recipe.bitrate * 1350 + HEADER_BITS / SECONDS) faults.push(`${about}: ${found.bitRate} bit/s`)
      if (channels === 2 && found.bitRate < Math.min(recipe.bitrate, 96 * wanted) * 500) {
        faults.push(`${about}: only ${found.bitRate} bit/s`)
      }
      expect(file.props).toMatchObject(recipe)
    }
    expect(faults).toEqual([])
  },
  90_000,
)
