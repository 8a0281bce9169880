import { data, post } from './administrators.ts'
import type { Answer, Json, TestService } from './service.ts'

const SOUND =
  'codec bitrate isStereo isStripTags isStripCover normalize normalizeMode bitrateMode isMeasured isTrimSilence'
const DRAWN = 'width height barWidth barGap isRounded color'
/** A variant of any kind, with its parameters under one name each. */
export const VARIANT = `id index variantTypeId trackId props { __typename ... on TranscodeProps { ${SOUND} bitDepth }
  ... on PreviewProps { ${SOUND} previewType previewStartPercent previewSeconds previewMinPercent previewMaxPercent
    previewPercent previewMinSeconds previewMaxSeconds fadeInSeconds fadeOutSeconds }
  ... on LevelsProps { numSamples samplesPerPixel bits waveformChannels }
  ... on WaveformImageProps { format ${DRAWN} backgroundColor }
  ... on WaveformVideoProps { ${DRAWN} backgroundColor fps bitrate } }`
export const BATCH = `id state total queued running done failed cancelled progressPercent isFilled finishedAt
  variant { id }`

const CREATE = `mutation ($input: CreateVariantInput!) { createVariant(input: $input) {
  variant { ${VARIANT} } batch { ${BATCH} } } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateVariantInput!) { updateVariant(id: $id, input: $input) {
  variant { ${VARIANT} } } }`
const DELETE = `mutation ($id: ID!) { deleteVariant(id: $id) { deletedVariant { ${VARIANT} } } }`
const APPLY = `mutation ($id: ID!, $filter: ApplyVariantFilter) { applyVariant(id: $id, filter: $filter) {
  batch { ${BATCH} } } }`
const CANCEL = `mutation ($id: ID!) { cancelBatch(id: $id) { batch { ${BATCH} } } }`

/** Operations on variants with the token of an administrator. The `try` ones return the whole answer. */
export const variantsAs = (service: TestService, key: string) => ({
  tryCreate: (input: object): Promise<Answer> => post(service, CREATE, { input }, { key }),
  tryUpdate: (id: string, input: object): Promise<Answer> => post(service, UPDATE, { id, input }, { key }),
  tryDelete: (id: string): Promise<Answer> => post(service, DELETE, { id }, { key }),
  tryApply: (id: string, filter?: object): Promise<Answer> => post(service, APPLY, { id, filter }, { key }),
  tryCancel: (id: string): Promise<Answer> => post(service, CANCEL, { id }, { key }),
  create: async (input: object): Promise<Json> => (await data(service, CREATE, { input }, key)).createVariant,
  update: async (id: string, input: object): Promise<Json> =>
    (await data(service, UPDATE, { id, input }, key)).updateVariant.variant,
  remove: async (id: string): Promise<Json> => (await data(service, DELETE, { id }, key)).deleteVariant.deletedVariant,
  apply: async (id: string, filter?: object): Promise<Json> =>
    (await data(service, APPLY, { id, filter }, key)).applyVariant.batch,
  cancel: async (id: string): Promise<Json> => (await data(service, CANCEL, { id }, key)).cancelBatch.batch,
  batch: async (id: string): Promise<Json> =>
    (await data(service, `query ($id: ID!) { batch(id: $id) { ${BATCH} } }`, { id }, key)).batch,
})

/** The id of an organization-wide variant by its index. */
export async function variantId(service: TestService, index: string): Promise<string> {
  const where = { organizationId: service.demo.organization_id, index, trackId: null, deletedAt: null }
  return (await service.services.db.variant.findFirstOrThrow({ where })).id
}

/** Runs something while there are only these variants: each other one costs CPU for every recording. */
export async function withVariants<T>({ services }: TestService, indexes: string[], run: () => Promise<T>): Promise<T> {
  const { variant } = services.db
  const others = { index: { notIn: indexes }, deletedAt: null }
  const otherVariants = await variant.findMany({ where: others, select: { id: true } })
  await variant.updateMany({ where: others, data: { deletedAt: new Date() } })
  try {
    return await run()
  } finally {
    await variant.updateMany({ where: { id: { in: otherVariants.map(({ id }) => id) } }, data: { deletedAt: null } })
  }
}
