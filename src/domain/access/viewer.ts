import type { AdministratorViewer, Context, Viewer } from '../../platform/context.ts'
import type { KeyKind } from '../../platform/db/generated/client/enums.ts'
import { AppError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/origin.ts'

/** The records that a viewer may access: those of an organization, or of one of its collections or creators. */
export interface Scope {
  organizationId: string
  collectionId: string | null
  creatorId: string | null
}

/** Kinds of keys that may use an operation by default. Administrators may use any, within their role. */
const defaultKinds: readonly KeyKind[] = ['api']

/**
 * The scope of a viewer who may read.
 * @throws AppError `unauthenticated`, `forbidden`
 * @see contract, section 2
 */
export function readScope(ctx: Context, kinds = defaultKinds): Scope {
  const viewer = checkKind(ctx.viewer, kinds)
  if (viewer.type === 'administrator') {
    return { organizationId: viewer.organizationId, collectionId: null, creatorId: null }
  }
  const { organizationId, collectionId, creatorId } = viewer
  return { organizationId, collectionId, creatorId }
}

function checkKind(viewer: Viewer | null, kinds: readonly KeyKind[]): Viewer {
  if (!viewer) throw unauthenticated()
  if (viewer.type === 'key' && !kinds.includes(viewer.kind)) {
    throw new AppError('forbidden', `A key of kind ${viewer.kind} may not do this.`)
  }
  return viewer
}

/**
 * The condition for related records that a viewer sees alongside the requested one. It matches nothing for a viewer
 * without read access: a client that creates a track with an upload session must not be refused after the creation.
 */
export function visible<W extends object>(ctx: Context, where: (scope: Scope) => W): W | { id: { in: string[] } } {
  const { viewer } = ctx
  const mayRead = viewer !== null && (viewer.type === 'administrator' || defaultKinds.includes(viewer.kind))
  return mayRead ? where(readScope(ctx)) : { id: { in: [] } }
}

/**
 * The scope of a viewer who may write.
 * @throws AppError `forbidden`, also for an administrator with the role `viewer`; `unauthenticated`
 */
export function writeScope(ctx: Context, kinds = defaultKinds): Scope {
  const scope = readScope(ctx, kinds)
  if (ctx.viewer?.type === 'administrator' && ctx.viewer.role === 'viewer') {
    throw new AppError('forbidden', 'An administrator with the role viewer may not change anything.')
  }
  return scope
}

/**
 * Returns the key and the end of a session that the viewer opens now: at the latest the end of the key (contract,
 * section 2).
 * @param seconds duration of the session
 */
export function sessionLimits({ viewer, clock }: Context, seconds: number) {
  const createdAt = clock()
  const key = viewer?.type === 'key' ? viewer : null
  const endMs = createdAt.getTime() + seconds * 1000
  return {
    keyId: key?.keyId ?? null,
    createdAt,
    expiresAt: new Date(Math.min(endMs, key?.expiresAt?.getTime() ?? endMs)),
  }
}

/** For operations that a key with a scope may never use, such as creating a creator. */
export function organizationScope(ctx: Context): Scope {
  const scope = writeScope(ctx)
  if (scope.collectionId || scope.creatorId) {
    throw new AppError('forbidden', 'A key that is scoped to a collection or a creator may not do this.')
  }
  return scope
}

/** Whether the viewer may create keys of kind `uploader`, `player` and `share`: whether `organizationScope` accepts it. */
export function mayCreateKeys({ viewer }: Context): boolean {
  if (viewer?.type === 'administrator') return viewer.role !== 'viewer'
  return viewer?.type === 'key' && defaultKinds.includes(viewer.kind) && !viewer.collectionId && !viewer.creatorId
}

/**
 * For operations of the dashboard: administrators of any role.
 * @throws AppError `unauthenticated`, `forbidden`
 */
export function personScope(ctx: Context): AdministratorViewer {
  const { viewer } = ctx
  if (!viewer) throw unauthenticated()
  if (viewer.type !== 'administrator') throw new AppError('forbidden', 'Only an administrator may do this.')
  return viewer
}

/** For changes in the dashboard: administrators with the role owner or admin. */
export function administratorScope(ctx: Context): Scope {
  personScope(ctx)
  return writeScope(ctx)
}

/** For managing administrators: administrators with the role owner. */
export function ownerScope(ctx: Context): AdministratorViewer {
  const viewer = personScope(ctx)
  if (viewer.role !== 'owner') throw new AppError('forbidden', 'Only an administrator with the role owner may do this.')
  return viewer
}

/**
 * The context with the connections of sign-in: no operation of any organization keeps a person from signing in or out, or from
 * proving who they are.
 */
export const withSignInAccess = (ctx: Context): Context => ({ ...ctx, ...ctx.signInAccess })

/** The viewer of a request, as its changes are recorded. @param address of the client; null if unknown */
export function toActor(viewer: Viewer, address: string | null): Actor {
  const { organizationId } = viewer
  return viewer.type === 'key'
    ? { kind: 'key', id: viewer.keyId, organizationId, address }
    : { kind: 'administrator', id: viewer.administratorId, organizationId, address }
}

/**
 * Wraps a GraphQL resolver so that the viewer is checked before the arguments are validated, as `route` does for /v1.
 * @param check throws `unauthenticated` or `forbidden`
 */
export const permitted =
  <P, A, I, R>(
    check: (ctx: Context) => unknown,
    resolve: (parent: P, args: A, ctx: Context, info: I) => R,
  ): ((parent: P, args: A, ctx: Context, info: I) => R) =>
  (parent, args, ctx, info) => {
    check(ctx)
    return resolve(parent, args, ctx, info)
  }

export const unauthenticated = () =>
  new AppError('unauthenticated', 'Authorization: must be Bearer with a valid key or token')
