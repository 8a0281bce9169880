import { beforeAll, expect, test } from 'bun:test'
import { insertVariant, resolveProps } from '../../../src/domain/variant/service.ts'
import { makeMedia } from '../../support/audio.ts'
import { heardSeconds, measureFile, processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { soundTools } from '../../support/tools.ts'

const codecs = { aac: 'aac', mp3: 'mp3', ogg: 'vorbis', opus: 'opus' }
const bitrates = [12, 32, 64, 128, 320]
const recipes = Object.keys(codecs).flatMap((codec) =>
  bitrates.flatMap((bitrate) => [true, false].map((is_stereo) => ({ codec, bitrate, is_stereo }))),
)
const indexOf = ({ codec, bitrate, is_stereo }: (typeof recipes)[number]) =>
  `${codec}-${bitrate}-${is_stereo ? 'stereo' : 'mono'}`

const service = useTestService(undefined, soundTools)
beforeAll(async () => {
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

/** The nearest bit rate of a codec: MP3 has steps of 8 to 16, and Vorbis and Opus have a maximum per channel. */
function nearest(codec: string, bitrate: number, channels: number): { bitrate?: number } {
  if (codec === 'mp3' && bitrate === 12) return { bitrate: 16 }
  if (bitrate === 320 && channels === 1 && codec === 'ogg') return { bitrate: 240 }
  return bitrate === 320 && channels === 1 && codec === 'opus' ? { bitrate: 256 } : {}
}

const SECONDS = 1.5
/** Containers start with up to 5 kB that are not part of the bit rate. */
const HEADER_BITS = 40_000
const TOLERANCE_SECONDS = 0.05
const noise = (rate: number, channels: number) => {
  const source = `anoisesrc=color=pink:sample_rate=${rate}:duration=${SECONDS}:amplitude=0.4:seed=1`
  return makeMedia(['-f', 'lavfi', '-i', source, '-ac', String(channels)], 'wav')
}

/** Differences between a file and its recipe, by ffprobe and by its record. */
async function faultsOf(file: Json, recipe: (typeof recipes)[number], rate: number, channels: number) {
  const { codec, bitrate: recipeBitrate, is_stereo } = recipe
  const figures = await measureFile(service, file)
  const outputChannels = is_stereo ? channels : 1
  const { bitrate = recipeBitrate } = nearest(codec, recipeBitrate, outputChannels)
  const isExact = Math.abs(figures.durationSeconds - SECONDS) <= TOLERANCE_SECONDS
  // ffprobe before 6 counts the padding of an MP3 that every player skips.
  const playedSeconds = isExact || codec !== 'mp3' ? figures.durationSeconds : await heardSeconds(service, file)
  const { props, status_text } = file
  const noted = bitrate === recipeBitrate ? status_text === null : status_text?.includes(`${bitrate} kbps`)
  const rules: [rule: boolean, what: string][] = [
    [figures.codec === codecs[codec as 'aac'], `codec ${figures.codec}`],
    [figures.channels === outputChannels && props.channels === outputChannels, `${figures.channels} channels`],
    [Math.abs(playedSeconds - SECONDS) <= TOLERANCE_SECONDS, `lasts ${playedSeconds} s`],
    // The real bit rate depends on bandwidth and channels, but must not exceed the requested one by far.
    [figures.bitRate <= bitrate * 1350 + HEADER_BITS / SECONDS, `${figures.bitRate} bit/s`],
    [
      channels !== 2 || figures.bitRate >= Math.min(bitrate, 96 * outputChannels) * 500,
      `only ${figures.bitRate} bit/s`,
    ],
    [props.bitrate === bitrate, `said to have ${props.bitrate} kbps`],
    [noted, `noted: ${status_text}`],
    [codec === 'opus' || props.sample_rate === figures.sampleRate, `said to have ${props.sample_rate} Hz`],
    [props.codec === codec && props.is_stereo === is_stereo, `props ${JSON.stringify(props)}`],
  ]
  return rules.filter(([rule]) => !rule).map(([, what]) => `${indexOf(recipe)} of ${rate}/${channels}: ${what}`)
}

/** Every codec at the bit rates of the specification, from recordings with extreme rates. */
test.each([
  [44_100, 2],
  [8000, 1],
])(
  'encodes a recording of %d Hz and %d channels with every codec and bit rate',
  async (rate, channels) => {
    // Stereo and mono are the same for a mono recording. Its low sample rate makes the extreme bit rates difficult.
    const isWorthIt = ({ bitrate, is_stereo }: (typeof recipes)[number]) => !is_stereo && [12, 320].includes(bitrate)
    const testRecipes = channels === 2 ? recipes : recipes.filter(isWorthIt)
    await service.services.db.variant.updateMany({
      where: { index: { notIn: testRecipes.map(indexOf) }, deletedAt: null },
      data: { deletedAt: new Date() },
    })
    const { track, files } = await processed(service, await noise(rate, channels), 'a.wav')
    const failed = Object.values(files).filter((file) => !file.is_success)
    expect(failed.map((file) => `${file.variant.index}: ${file.status_text}`)).toEqual([])
    expect(track.track_status_id).toBe('ready')
    const faults: string[] = []
    for (const recipe of testRecipes) {
      faults.push(...(await faultsOf(files[indexOf(recipe)], recipe, rate, channels)))
    }
    expect(faults).toEqual([])
  },
  90_000,
)
