import { describe, expect, test } from 'bun:test'
import { resolveProps } from '../../../src/domain/variant/service.ts'
import type { VariantType } from '../../../src/platform/db/generated/client/enums.ts'
import { fadeFilters } from '../../../src/platform/media/fade.ts'

/** The message of a refusal, else the props. */
function resolved(type: VariantType, input: object): unknown {
  try {
    return resolveProps(type, input)
  } catch (error) {
    return (error as Error).message
  }
}

describe('bitrateMode', () => {
  test.each(['transcode', 'preview'] as const)('of a %s is one that the encoder has', (type) => {
    for (const [codec, modes] of Object.entries({
      mp3: ['cbr', 'vbr'],
      opus: ['cbr', 'vbr'],
      aac: ['vbr'],
      ogg: ['vbr'],
    })) {
      for (const bitrateMode of ['cbr', 'vbr']) {
        const expected = modes.includes(bitrateMode)
          ? expect.objectContaining({ codec, bitrate_mode: bitrateMode })
          : expect.stringContaining(`bitrate_mode: must be vbr for ${codec}`)
        expect(resolved(type, { codec, bitrateMode })).toEqual(expected)
      }
    }
    expect(resolved(type, { bitrateMode: 'abr' })).toMatch('bitrate_mode: must be one of cbr, vbr')
    expect(resolved(type, {})).not.toHaveProperty('bitrate_mode')
  })
})

describe('fades of a preview', () => {
  const fades = (fadeInSeconds: number, fadeOutSeconds: number) => ({ fadeInSeconds, fadeOutSeconds })
  test.each([
    ['as long as the clip', { previewSeconds: 5, ...fades(2, 3) }],
    ['the longest', fades(30, 30)],
    ['as long as the longest clip in percent', { previewType: 'percent', previewMaxSeconds: 4, ...fades(4, 0) }],
    ['none', fades(0, 0)],
  ])('are accepted: %s', (_, input) => {
    const { fadeInSeconds, fadeOutSeconds } = input as ReturnType<typeof fades>
    expect(resolved('preview', input)).toMatchObject({
      fade_in_seconds: fadeInSeconds,
      fade_out_seconds: fadeOutSeconds,
    })
  })

  test.each([
    [
      'longer than the clip',
      { previewSeconds: 5, ...fades(2, 3.1) },
      'fade_out_seconds: both fades together must not exceed preview_seconds (5)',
    ],
    [
      'one that is longer',
      { previewSeconds: 5, fadeInSeconds: 6 },
      'fade_in_seconds: both fades together must not exceed preview_seconds (5)',
    ],
    [
      'longer than the longest clip in percent',
      { previewType: 'percent', previewMaxSeconds: 4, ...fades(4, 1) },
      'must not exceed preview_max_seconds (4)',
    ],
    ['too long', { fadeInSeconds: 30.1 }, 'fade_in_seconds'],
    ['negative', { fadeOutSeconds: -1 }, 'fade_out_seconds'],
  ])('are refused: %s', (_, input, message) => {
    expect(resolved('preview', input)).toMatch(message)
  })

  test('are not set by default', () => {
    expect(Object.keys(resolved('preview', {}) as object).filter((name) => /fade/.test(name))).toEqual([])
  })

  test('are shortened in a shorter clip', () => {
    const filters = (count: number, inSeconds: number, outSeconds: number) =>
      fadeFilters({ inSeconds, outSeconds }, count, 1000)
    expect(filters(10_000, 1, 2)).toEqual([
      'aformat=sample_fmts=fltp',
      'afade=t=in:start_sample=0:nb_samples=1000:curve=tri',
      'afade=t=out:start_sample=8000:nb_samples=2000:curve=tri',
    ])
    expect(filters(1500, 1, 2).slice(1)).toEqual([
      'afade=t=in:start_sample=0:nb_samples=500:curve=tri',
      'afade=t=out:start_sample=500:nb_samples=1000:curve=tri',
    ])
    expect(filters(1500, 0, 0)).toEqual([])
    expect(filters(1500, 0, 1.5)).toEqual([
      'aformat=sample_fmts=fltp',
      'afade=t=out:start_sample=0:nb_samples=1500:curve=tri',
    ])
  })
})
