import { t } from '../strings.ts'
import { ApiError, ask, type Fetch } from './api.ts'
import { ORGANIZATION, VIEWER } from './operations.ts'

/**
 * Returns the owner of a credential and the organization.
 * @throws ApiError `unauthenticated` for an invalid credential, `share_key` for a share key
 */
export async function identify(fetch: Fetch, credential: string) {
  const { viewer } = await ask<{
    viewer: { email?: string; role?: string; kind?: string; organizationId: string } | null
  }>(fetch, VIEWER, {}, credential)
  if (!viewer) throw new ApiError('unauthenticated', t('session.wrongKey'))
  const { organizationId } = viewer
  const [role, kind] = [viewer.role?.toLowerCase() ?? null, viewer.kind?.toLowerCase()]
  if (kind === 'share') throw new ApiError('share_key', t('session.shareKey'))
  // Not every key may read the organization; its name is then null.
  const organizationName = await ask<{ organization: { name: string } }>(
    fetch,
    ORGANIZATION,
    { id: organizationId },
    credential,
  ).then(
    ({ organization }) => organization.name,
    () => null,
  )
  return { name: viewer.email ?? `${kind} key`, role, organizationId, organizationName }
}
