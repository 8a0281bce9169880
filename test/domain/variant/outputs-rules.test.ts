import { describe, expect, test } from 'bun:test'
import { resolveProps } from '../../../src/domain/variant/service.ts'
import type { VariantType } from '../../../src/platform/db/generated/client/enums.ts'

/** The message of a refusal, else the props. */
function resolved(type: VariantType, given: object): unknown {
  try {
    return resolveProps(type, given)
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
