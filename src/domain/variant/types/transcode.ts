import { z } from 'zod'
import { audioProps, encodeArgs } from './audio.ts'
import type { VariantTypeDefinition } from './type.ts'

const props = z.object(audioProps)

/** The whole recording in another codec. */
export const transcode: VariantTypeDefinition<z.infer<typeof props>> = {
  id: 'transcode',
  title: 'Transcode',
  isApiAllowed: true,
  props,
  plan: (given, probe) => {
    const encoded = encodeArgs(given, probe)
    return { kind: 'audio', ...encoded, clip: null, data: () => null }
  },
}
