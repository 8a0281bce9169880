import { cancelParts, continueInParts } from '../../domain/upload/resumable/parts.ts'
import type { Services } from '../../platform/context.ts'
import { readGrant } from './receive.ts'
import { parseSize } from './tus.ts'

/**
 * Answers what is missing of an upload to the bucket in parts, and completes it (POST), or cancels it (DELETE).
 * @see decision 0080
 */
export async function receiveInParts(services: Services, request: Request, url: URL): Promise<Response> {
  const grant = readGrant(services, url)
  const headers = { 'cache-control': 'no-store' }
  if (request.method === 'DELETE') {
    await cancelParts(services, grant)
    return new Response(null, { status: 204, headers })
  }
  const { isComplete, size, uploadedBytes, parts, expiresAt } = await continueInParts(
    services,
    grant,
    parseSize(request),
  )
  const answer = {
    ok: true,
    is_complete: isComplete,
    file_size: size,
    uploaded_bytes: uploadedBytes,
    parts: parts.map(({ number, offset, bytes, uploadUrl }) => ({
      part_number: number,
      offset,
      bytes,
      method: 'PUT',
      upload_url: uploadUrl,
    })),
    expires_at: expiresAt,
  }
  return Response.json(answer, { headers })
}
