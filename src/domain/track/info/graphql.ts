import { builder } from '../../../platform/graphql/builder.ts'

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
  /** Not there for recordings of earlier versions, like the layout. */
  bit_depth?: number | null
  channels: number
  channel_layout?: string | null
  bit_rate: number | null
  tags: Record<string, string>
}
export const TrackInfo = builder.objectRef<Info>('TrackInfo').implement({
  description: 'What was found in the uploaded recording.',
  fields: (t) => ({
    container: t.exposeString('container', { description: "ffprobe's name of the container." }),
    codec: t.exposeString('codec', { description: "ffprobe's name of the codec." }),
    sampleRate: t.exposeInt('sample_rate', { description: 'Hz.' }),
    bitDepth: t.int({
      nullable: true,
      description: 'Bits of a stored sample; null for codecs that store none.',
      resolve: ({ bit_depth }) => bit_depth ?? null,
    }),
    channels: t.exposeInt('channels', { description: 'How many there are.' }),
    channelLayout: t.string({
      nullable: true,
      description: "ffmpeg's name of the speakers, such as `stereo` or `5.1`, where the recording tells.",
      resolve: ({ channel_layout }) => channel_layout ?? null,
    }),
    bitRate: t.exposeFloat('bit_rate', { nullable: true, description: 'Bits per second, where the container tells.' }),
    tags: t.field({
      type: [Tag],
      description: 'Those of the container and of the stream.',
      resolve: ({ tags }) => Object.entries(tags ?? {}).map(([name, value]) => ({ name, value })),
    }),
  }),
})
