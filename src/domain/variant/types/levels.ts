import { z } from 'zod'
import { parameter } from './parameter.ts'
import type { VariantTypeDefinition } from './type.ts'

const WITHOUT_WAVEFORM = 'Null for a file without a waveform.'

/** The defaults of the waveform are those of players: detailed enough to zoom in, small enough to load at once. */
const parameters = {
  num_samples: parameter(z.number().int().min(1).max(10_000).default(320), 'Number of loudness values.'),
  samples_per_pixel: parameter(
    z.number().int().min(64).max(65_536).default(256),
    'Samples of the recording per pair of waveform values.',
    { nullMeans: WITHOUT_WAVEFORM },
  ),
  bits: parameter(z.literal([8, 16], { error: 'must be 8 or 16' }).default(8), 'Bits per waveform value.', {
    nullMeans: WITHOUT_WAVEFORM,
  }),
  waveform_channels: parameter(
    z.literal([1, 2], { error: 'must be 1 or 2' }).optional(),
    'Number of waveforms. 1, the default, averages the channels. 2 has one for the left and one for the right channel; a ' +
      'mono file still has one.',
  ),
}
const props = z.object(parameters)

export const levels: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'levels',
  title: 'Waveform levels',
  // Contract, section 9. The waveform has the format of BBC audiowaveform.
  description: 'Loudness over time and the waveform as numbers, for drawing.',
  isApiAllowed: false,
  isPlayable: false,
  parameters,
  props,
  plan: ({ num_samples: count, samples_per_pixel: samplesPerPixel, bits, waveform_channels }) => ({
    kind: 'levels',
    count,
    samplesPerPixel,
    bits,
    isSplit: waveform_channels === 2,
  }),
}
