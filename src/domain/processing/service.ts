import type { Context } from '../../platform/context.ts'
import type { Transaction } from '../../platform/db/client.ts'
import type { Prisma, Track } from '../../platform/db/generated/client/client.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { parse } from '../../platform/schema/parse.ts'
import { type Scope, writeScope } from '../access/viewer.ts'
import { oneTrackWhere } from '../track/service.ts'
import { addTrackVariantInput } from '../variant/record.ts'
import { insertVariant, resolveTrackProps } from '../variant/service.ts'
import { queueVariantProcessing } from './queue/queue.ts'

/**
 * Adds a variant to one processed track and queues its file. The track is `processing` until the file is made.
 * @param raw variantTypeId, index, and the parameters of the type
 * @throws AppError `no_source_file`, `track_processing`, `index_taken`, `not_found`, `invalid_input`
 * @see specification, section 4, POST /v1/track/:track_id/variant
 */
export async function addTrackVariant(ctx: Context, trackId: string, raw: object) {
  const scope = writeScope(ctx)
  const { variantTypeId: type, index } = parse(addTrackVariantInput, raw)
  const props = resolveTrackProps(type, raw)
  return ctx.db.$transaction(async (tx) => {
    // One of several requests changes the status; the others wait here and then see `processing`.
    const { count } = await tx.track.updateMany({
      where: { AND: [oneTrackWhere(scope, trackId), { status: { in: ['ready', 'incomplete'] } }] },
      data: { status: 'processing' },
    })
    if (count === 0) throw await refusal(tx, scope, trackId)
    const { organizationId } = scope
    const variant = await insertVariant(tx, { organizationId, trackId, type, index, props })
    await tx.trackFile.create({
      data: { organizationId, trackId, variantId: variant.id, props: props as Prisma.InputJsonObject },
    })
    const jobId = await queueVariantProcessing(tx, organizationId, trackId, variant.id)
    return { variant, jobId }
  })
}

async function refusal(tx: Transaction, scope: Scope, id: string): Promise<AppError> {
  const track = await tx.track.findFirst({ where: oneTrackWhere(scope, id) })
  if (!track) return notFound('trackId')
  return hasUsableSource(track)
    ? new AppError('track_processing', 'The track is being processed. Try again when it is ready.')
    : new AppError('no_source_file', 'The track has no usable recording.')
}

const hasUsableSource = (track: Track) =>
  track.uploadCompletedAt !== null && track.status !== 'init_error' && track.status !== 'error'
