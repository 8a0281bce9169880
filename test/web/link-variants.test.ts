import { expect, test } from 'bun:test'
import { losslessCodecs } from '../../src/domain/variant/types/codecs/index.ts'
import { findDefault, isMaster, MASTER_CODECS, sortForListeners } from '../../src/web/studio/link/variants.ts'

type Variant = Parameters<typeof isMaster>[0]
type Codec = Extract<Variant['props'], { __typename: 'TranscodeProps' }>['codec']

const transcode = (index: string, codec: Codec, bitrate: number | null): Variant => ({
  index,
  variantTypeId: 'TRANSCODE',
  props: { __typename: 'TranscodeProps', codec, bitrate },
})
const flac = transcode('archive', 'FLAC', null)
const large = transcode('best', 'MP3', 320)
const small = transcode('lq', 'OPUS', 64)
const standard = transcode('hq', 'AAC', 192)
const original: Variant = { index: 'original', variantTypeId: 'ORIGINAL', props: { __typename: 'OriginalProps' } }
const preview: Variant = { index: 'preview', variantTypeId: 'PREVIEW', props: { __typename: 'PreviewProps' } }

test('masters are the original and transcodes of every lossless codec', () => {
  expect([...MASTER_CODECS].sort()).toEqual(losslessCodecs.map((codec) => codec.toUpperCase()).sort())
  expect([flac, original].map(isMaster)).toEqual([true, true])
  expect([large, small, preview].map(isMaster)).toEqual([false, false, false])
})

test('the variant for listeners is the first, and masters are the last', () => {
  const indexes = sortForListeners([original, preview, flac, small, large, standard]).map(({ index }) => index)
  expect(indexes).toEqual(['hq', 'best', 'lq', 'preview', 'original', 'archive'])
})

test.each<[what: string, variants: Variant[], expected: string | undefined]>([
  ['hq, although another has a higher bit rate', [large, standard], 'hq'],
  ['the highest bit rate without hq', [small, large], 'best'],
  ['no preview and no master', [original, preview, flac], undefined],
  ['no lossless file, although it is named hq', [transcode('hq', 'WAV', null), small], 'lq'],
  ['nothing of nothing', [], undefined],
])('a link opens by default %s', (_, variants, expected) => {
  expect(findDefault(variants)?.index).toBe(expected)
})
