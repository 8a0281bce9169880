import { builder } from '../../../platform/builder.ts'

const Tag = builder.objectRef<{ name: string; value: string }>('Tag').implement({
  description: 'A tag of the uploaded recording.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'In lower case, such as `artist`.' }),
    value: t.exposeString('value', { description: 'As it was written.' }),
  }),
})

/** What the probe found, as it is stored. */
export interface Info {
  container: string
  codec: string
  sample_rate: number
  channels: number
  bit_rate: number | null
  tags: Record<string, string>
}
export const TrackInfo = builder.objectRef<Info>('TrackInfo').implement({
  description: 'What was found in the uploaded recording.',
  fields: (t) => ({
    container: t.exposeString('container', { description: "ffprobe's name of the container." }),
    codec: t.exposeString('codec', { description: "ffprobe's name of the codec." }),
    sampleRate: t.exposeInt('sample_rate', { description: 'Hz.' }),
    channels: t.exposeInt('channels', { description: 'How many there are.' }),
    bitRate: t.exposeFloat('bit_rate', { nullable: true, description: 'Bits per second, where the container tells.' }),
    tags: t.field({
      type: [Tag],
      description: 'Those of the container and of the stream.',
      resolve: ({ tags }) => Object.entries(tags ?? {}).map(([name, value]) => ({ name, value })),
    }),
  }),
})
