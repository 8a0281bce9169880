import type { Services } from '../../platform/context.ts'
import { newCoverSourceKey } from '../organization/cover/stored.ts'
import { type CoverGrant, completeCover, findOpenCoverOwner } from './cover.ts'
import { expired } from './open.ts'
import { checkedPicture } from './picture.ts'
import { type AcceptedUpload, receiveBody, type UploadBody } from './receive-body.ts'

/** Largest cover in bytes. */
export const MAX_COVER_BYTES = 20 * 1024 ** 2

/**
 * Accepts a cover by its signed address. Of several concurrent uploads one succeeds.
 * @param grant from the address, whose signature has been verified
 * @throws AppError `expired`, `upload_completed`, `not_found`, `too_large`, `invalid_input`
 * @see contract, section 5
 */
export async function acceptCover(services: Services, grant: CoverGrant, body: UploadBody): Promise<AcceptedUpload> {
  const { organizationId, id } = await findOpenCoverOwner(services.db, grant)
  if (services.clock().getTime() >= grant.expiresMs) throw expired()
  return receiveBody(services, body, {
    key: newCoverSourceKey(organizationId, id),
    maxBytes: MAX_COVER_BYTES,
    announcedBytes: null,
    read: checkedPicture,
    complete: (incoming) => completeCover(services, grant, incoming),
  })
}
