import { mapKeys, toCamel } from '../../../platform/case.ts'
import type { VariantType } from '../../../platform/db/generated/client/enums.ts'
import { builder, defineEnum } from '../../../platform/graphql/builder.ts'
import { apiVariantTypes, variantType, variantTypes } from './index.ts'
import { findScalar, type ParameterEnum, type Parameters, shownParameter } from './parameter.ts'
import type { VariantTypeDefinition } from './type.ts'

// GraphQL objects and inputs of the parameters, derived from the declarations of the types.

type Types = typeof builder.$inferSchemaTypes
type InputFields = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>

/** Parameters in camelCase. */
type Props = Record<string, unknown>
type PropsFields = PothosSchemaTypes.ObjectFieldBuilder<Types, Props>

/** By their names: several types have the same parameter. */
const enums = new Map<string, ReturnType<typeof defineEnum<string>>>()

function findEnum({ name, description, values }: ParameterEnum) {
  const type = enums.get(name) ?? defineEnum(name, description, values)
  enums.set(name, type)
  return type
}

const propsFields = (t: PropsFields, id: VariantType) =>
  Object.fromEntries(
    Object.entries(variantType(id).parameters).map(([name, rule]) => {
      const { scalar, enum: values, isNullable, description } = shownParameter(rule)
      return [
        toCamel(name),
        t.field({
          type: values ? findEnum(values) : scalar,
          nullable: isNullable,
          description,
          resolve: (props) => props[toCamel(name)] as never,
        }),
      ]
    }),
  )

const soundFields = (t: PropsFields) => ({
  sampleRate: t.int({
    nullable: true,
    description: 'Hz. Null for a variant, because it depends on the recording.',
    resolve: ({ sampleRate }) => sampleRate as number | undefined,
  }),
  channels: t.int({
    nullable: true,
    description: 'Number of channels. Null for a variant, because it depends on the recording.',
    resolve: ({ channels }) => channels as number | undefined,
  }),
  measuredBitrate: t.float({
    nullable: true,
    description: 'kbps of the file, without tags and cover. Null for a variant, and for files of early versions.',
    resolve: ({ measuredBitrate }) => measuredBitrate as number | undefined,
  }),
  integratedLufs: t.float({
    nullable: true,
    description:
      'Loudness of the file in LUFS, measured after encoding. Null for a variant, for silence, and without `normalize` or `isMeasured`.',
    resolve: ({ integratedLufs }) => integratedLufs as number | undefined,
  }),
  truePeakDbtp: t.float({
    nullable: true,
    description:
      'True peak of the file in dBTP, measured after encoding. Null for a variant, for silence, and without `normalize` or `isMeasured`.',
    resolve: ({ truePeakDbtp }) => truePeakDbtp as number | undefined,
  }),
})

const WHOLE = 'Null for a variant, and for a file of the whole recording.'

const transcodeFields = (t: PropsFields) => ({
  ...soundFields(t),
  captureStart: t.float({
    nullable: true,
    description: `Start in the recording, in seconds. ${WHOLE}`,
    resolve: ({ captureStart }) => captureStart as number | undefined,
  }),
  captureEnd: t.float({
    nullable: true,
    description: `End in the recording, in seconds. ${WHOLE}`,
    resolve: ({ captureEnd }) => captureEnd as number | undefined,
  }),
})

/** Fields of types whose files have values that no variant has. */
const measuredFields: Partial<Record<VariantType, (t: PropsFields) => ReturnType<typeof soundFields>>> = {
  transcode: transcodeFields,
  preview: soundFields,
}

const propsObject = ({ id, description }: VariantTypeDefinition) =>
  builder.objectRef<Props>(`${toCamel(`_${id}`)}Props`).implement({
    description: `Parameters of the type ${id}. ${description}`,
    fields: (t) => ({ ...propsFields(t, id), ...measuredFields[id]?.(t) }),
  })

const OriginalProps = builder.objectRef<{ codec: string | null; bitrate: number | null }>('OriginalProps').implement({
  description: 'Encoding of the uploaded recording.',
  fields: (t) => ({
    // Other names than in TranscodeProps, because fields of one name in a union must have one type.
    sourceCodec: t.exposeString('codec', { nullable: true, description: 'Codec, as named by ffprobe.' }),
    sourceBitrate: t.exposeFloat('bitrate', {
      nullable: true,
      description: 'Bit rate in kbps. Null when the container does not contain it.',
    }),
  }),
})

const withParameters = variantTypes.filter(({ parameters }) => Object.keys(parameters).length > 0)
const objects: Partial<Record<VariantType, ReturnType<typeof propsObject> | typeof OriginalProps>> = {
  ...Object.fromEntries(withParameters.map((type) => [type.id, propsObject(type)])),
  original: OriginalProps,
}

const VariantProps = builder.unionType('VariantProps', {
  description: 'Parameters with all defaults, by the type of the variant.',
  types: Object.values(objects),
  resolveType: (props) => objects[(props as unknown as { kind: keyof typeof objects }).kind],
})

/** Options of a `props` field. */
export const propsField = {
  type: VariantProps,
  nullable: true,
  description: 'Parameters. Null for a type without parameters.',
} as const

/** Stored props as a member of the union. */
export function toRestProps(type: VariantType, props: unknown): never {
  const isShown = type in objects && typeof props === 'object' && props !== null && Object.keys(props).length > 0
  return (isShown ? { ...(mapKeys(props, toCamel) as object), kind: type } : null) as never
}

/** Parameters of some types. A description names the types that it is for, unless it is for all of them. */
function parameterFields(t: InputFields, types: readonly { title: string; parameters: Parameters }[]) {
  const declared = types.flatMap(({ title, parameters }) =>
    Object.entries(parameters).map(([name, rule]) => ({
      name,
      title,
      scalar: findScalar(rule),
      text: rule.description,
    })),
  )
  return Object.fromEntries(
    [...Map.groupBy(declared, ({ name }) => name)].map(([name, owners]) => {
      const texts = [...Map.groupBy(owners, ({ text }) => text)].map(([text, same]) => {
        const isForAll = same.length === types.length
        return isForAll ? text : `${same.map(({ title }) => title).join(', ')}: ${text}`
      })
      return [toCamel(name), t.field({ type: owners[0]?.scalar ?? 'String', description: texts.join(' ') })]
    }),
  )
}

/** Parameters of the types that clients may add to a track, as inputs take them. */
export const soundParameters = (t: InputFields) =>
  parameterFields(
    t,
    apiVariantTypes.map(variantType).map(({ title, parameters, trackRules }) => ({
      title,
      parameters: trackRules?.parameters ?? parameters,
    })),
  )

/** Parameters of every type, as inputs take them. */
export const allParameters = (t: InputFields) => parameterFields(t, variantTypes)
