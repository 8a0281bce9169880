import { z } from 'zod'
import { flag, integer, text, time, url } from '../../../platform/schema/fields.ts'
import { headersNamed } from './answers.ts'
import type { DocumentWriter } from './document-writer.ts'

const part = z
  .object({
    partNumber: integer({ description: 'From 1.', example: 1 }).restShape,
    offset: integer({ description: 'Position of its first byte in the recording.', example: 0 }).restShape,
    bytes: integer({ description: 'Bytes that its address takes, no more and no fewer.', example: 8_388_608 })
      .restShape,
    method: text({ description: 'HTTP method: `PUT`.', example: 'PUT' }).restShape,
    uploadUrl: url({
      description: 'Presigned URL of the bucket, for an hour.',
      example: 'https://s3.example.com/tonearm/source/1?partNumber=1&uploadId=x&X-Amz-Signature=x',
    }).restShape,
  })
  .meta({ id: 'UploadPart', description: 'A part of a recording that the bucket does not have.' })

const progress = z
  .object({
    ok: z.literal(true),
    isComplete: flag({ description: 'Whether the recording has arrived.' }).restShape,
    fileSize: integer({ description: 'Bytes of the recording.', example: 31_752_044 }).restShape,
    uploadedBytes: integer({ description: 'Bytes of the parts that the bucket has.', example: 16_777_216 }).restShape,
    parts: z.array(part).describe('The first 100 parts that are missing. Empty when the upload is complete.'),
    expiresAt: time({
      description: 'Time before which the upload must be complete.',
      nullable: true,
      nullMeans: 'Null when it is.',
    }).restShape,
  })
  .meta({ id: 'UploadParts', description: 'Progress of an upload to a bucket in parts.' })

/** An address for uploads to a bucket in parts (decision 0080). */
export function partsOperations(writer: DocumentWriter): Record<string, object> {
  const operation = (operationId: string, summary: string, success: Record<string, object>, rest: object) => ({
    operationId,
    tags: ['Uploads'],
    summary,
    description:
      'The address `parts_url` of an upload handle, unchanged. Only with `STORAGE=s3`. Any number of requests may be sent at the same time.',
    security: [],
    responses: {
      ...success,
      ...writer.failures([
        'invalid_input',
        'forbidden',
        'not_found',
        'upload_completed',
        'source_url_given',
        'expired',
        'too_large',
        'internal',
        'unavailable',
        'timeout',
      ]),
    },
    ...rest,
  })
  const length = {
    name: 'Upload-Length',
    in: 'header',
    required: false,
    description: 'Bytes of the recording. Required unless they were announced before.',
    schema: { type: 'string' },
    example: '31752044',
  }
  return {
    post: operation(
      'continueUploadInParts',
      'Begins, continues or completes an upload in parts.',
      { '200': writer.success('The parts that are missing.', progress) },
      { parameters: [length] },
    ),
    delete: operation(
      'cancelUploadInParts',
      'Cancels an upload in parts.',
      { '204': { description: 'The parts are deleted.', headers: headersNamed('X-Request-Id') } },
      {},
    ),
  }
}
