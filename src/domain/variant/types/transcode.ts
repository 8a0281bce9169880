import { z } from 'zod'
import { type AudioProps, audioParameters, encodeArgs, losslessParameters } from './audio.ts'
import { type AudioCodec, codecs } from './codecs/index.ts'
import { parameter } from './parameter.ts'
import type { VariantTypeDefinition } from './type.ts'

const ids = Object.keys(codecs) as AudioCodec[]
const lossyProps = z.object(audioParameters)
const props = z.discriminatedUnion('codec', [lossyProps, z.object(losslessParameters)], {
  error: `must be one of ${ids.join(', ')}`,
})

export const transcode: VariantTypeDefinition<AudioProps> = {
  id: 'transcode',
  title: 'Transcode',
  description: 'The whole recording in another codec.',
  isApiAllowed: true,
  isPlayable: true,
  parameters: {
    ...audioParameters,
    codec: parameter(z.enum(ids).default('aac'), 'Codec of the file.'),
    bit_depth: losslessParameters.bit_depth,
  },
  props,
  trackRules: { parameters: audioParameters, props: lossyProps },
  plan: (given, probe) => ({ kind: 'audio', ...encodeArgs(given, probe), clip: null, data: () => null }),
}
