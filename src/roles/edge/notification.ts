import { z } from 'zod'
import { noticeDirectUploads } from '../../domain/upload/direct.ts'
import { INCOMING } from '../../domain/upload-address/incoming.ts'
import type { Services } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { parse } from '../../platform/schema/parse.ts'
import { UUID_PATTERN } from '../../platform/uuid.ts'

export const NOTIFICATION_PATH = '/upload/notification'

const MAX_RECORDS = 1000
/** S3 encodes keys for URLs. */
const KEY = new RegExp(`^${INCOMING.replace('/', '(?:/|%2[Ff])')}(${UUID_PATTERN})$`)

/** The relevant part of an S3 event message: the keys of the objects. */
const message = z.object({
  Records: z
    .array(z.object({ s3: z.object({ object: z.object({ key: z.string() }) }) }))
    .max(MAX_RECORDS)
    .default([]),
})

/**
 * Receives a bucket's notifications of new objects, so that direct uploads are processed at once. The bucket sends the
 * token of `bun run admin notification-token` as Bearer.
 * @see contract, section 5
 */
export async function notify(services: Services, request: Request): Promise<Response> {
  if (!services.signing.isNotificationToken(request.headers.get('authorization')?.replace(/^Bearer +/i, '') ?? '')) {
    throw new AppError('unauthenticated', 'Authorization: must be Bearer with the token for notifications')
  }
  const { Records } = parse(message, await request.json().catch(() => null))
  const trackIds = Records.flatMap(({ s3 }) => KEY.exec(s3.object.key)?.[1] ?? [])
  const completed = await noticeDirectUploads(services, [...new Set(trackIds)])
  return Response.json({ ok: true, completed })
}
