import type { z } from 'zod'
import { mapKeys, toCamel } from '../../../../platform/case.ts'
import { builder } from '../../../../platform/graphql/builder.ts'
import { signedPrice } from '../../../../platform/graphql/price.ts'
import { expose } from '../../../../platform/graphql/record.ts'
import { signedUrl, withDelivery } from '../../../delivery/address.ts'
import { levelsFields, levelsShape, siblingFields, waveformFields, waveformShape } from '../record.ts'

interface Owned {
  organizationId: string
}
type StoredWaveform = z.output<typeof waveformShape>
/** A stored form of the waveform. */
type WaveformFile = Omit<StoredWaveform['json'], 'url'> & Owned

const { url, ...siblingColumns } = siblingFields
const WaveformFileObject = builder.objectRef<WaveformFile>('WaveformFile').implement({
  description: 'A waveform in a form that players read.',
  fields: (t) => ({
    ...expose(t, siblingColumns),
    url: t.string({
      description: url.description,
      ...signedPrice,
      resolve: ({ organizationId, path }, _, ctx) =>
        withDelivery(ctx, organizationId, (delivery) => signedUrl(ctx, delivery, path)),
    }),
  }),
})

type Waveform = StoredWaveform & Owned
const WaveformObject = builder.objectRef<Waveform>('Waveform').implement({
  description: waveformShape.description,
  fields: (t) => ({
    ...expose(t, waveformFields),
    version: t.exposeInt('version', { description: waveformShape.shape.version.description }),
    bits: t.exposeInt('bits', { description: waveformShape.shape.bits.description }),
    json: t.field({
      type: WaveformFileObject,
      description: waveformShape.shape.json.description,
      resolve: ({ json, organizationId }) => ({ ...json, organizationId }),
    }),
    dat: t.field({
      type: WaveformFileObject,
      description: waveformShape.shape.dat.description,
      resolve: ({ dat, organizationId }) => ({ ...dat, organizationId }),
    }),
  }),
})

type Levels = Omit<z.output<typeof levelsShape>, 'waveform'> & { waveform?: Waveform }
export const LevelsData = builder.objectRef<Levels>('LevelsData').implement({
  description: levelsShape.description,
  fields: (t) => ({
    ...expose(t, levelsFields),
    levels: t.exposeFloatList('levels', {
      description: levelsShape.shape.levels.description,
      // The default. At most 10,000.
      extensions: { price: { items: 320 } },
    }),
    metric: t.exposeString('metric', { description: levelsShape.shape.metric.description }),
    waveform: t.field({
      type: WaveformObject,
      nullable: true,
      description: waveformShape.description,
      resolve: ({ waveform }) => waveform ?? null,
    }),
  }),
})

/** Maps stored levels to the source of `LevelsData`. */
export function toRestLevels(data: object, organizationId: string): Levels {
  const { waveform, ...levels } = mapKeys(data, toCamel) as Levels
  return { ...levels, ...(waveform && { waveform: { ...waveform, organizationId } }) }
}
