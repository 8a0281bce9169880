import { z } from 'zod'
import { audioParameters, encodeArgs } from './audio.ts'
import type { VariantTypeDefinition } from './type.ts'

const props = z.object(audioParameters)

export const transcode: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'transcode',
  title: 'Transcode',
  description: 'The whole recording in another codec.',
  isApiAllowed: true,
  isPlayable: true,
  parameters: audioParameters,
  props,
  plan: (given, probe) => ({ kind: 'audio', ...encodeArgs(given, probe), clip: null, data: () => null }),
}
