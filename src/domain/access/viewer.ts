import type { AdministratorViewer, Context, Viewer } from '../../platform/context.ts'
import type { KeyKind } from '../../platform/db/generated/client/enums.ts'
import { AppError } from '../../platform/errors.ts'

/** What a viewer may see: everything of an organization, or one collection's or one creator's part of it. */
export interface Scope {
  organizationId: string
  collectionId: string | null
  creatorId: string | null
}

/** Kinds of keys that may do a thing; administrators always may, within their role. */
const ordinary: readonly KeyKind[] = ['api']

/**
 * The scope of a viewer who may read.
 * @throws AppError `unauthenticated`, `forbidden`
 * @see contract, section 2
 */
export function readScope(ctx: Context, kinds = ordinary): Scope {
  const viewer = checkKind(ctx.viewer, kinds)
  if (viewer.type === 'administrator') {
    return { organizationId: viewer.organizationId, collectionId: null, creatorId: null }
  }
  const { organizationId, collectionId, creatorId } = viewer
  return { organizationId, collectionId, creatorId }
}

/**
 * The viewer, if it is an administrator or a key of one of these kinds. REST checks this before it validates a request:
 * a key learns nothing about an operation that its kind never allows.
 * @throws AppError `unauthenticated`, `forbidden`
 */
export function checkKind(viewer: Viewer | null, kinds = ordinary): Viewer {
  if (!viewer) throw unauthenticated()
  if (viewer.type === 'key' && !kinds.includes(viewer.kind)) {
    throw new AppError('forbidden', `A key of kind ${viewer.kind} may not do this.`)
  }
  return viewer
}

/**
 * What a viewer sees beside the record that they asked for, as a `where`; nothing for who may read nothing: whoever
 * may create a track with the id of a session must not be refused after it was created.
 */
export function visible<W extends object>(ctx: Context, where: (scope: Scope) => W): W | { id: { in: string[] } } {
  const { viewer } = ctx
  const mayRead = viewer !== null && (viewer.type === 'administrator' || ordinary.includes(viewer.kind))
  return mayRead ? where(readScope(ctx)) : { id: { in: [] } }
}

/** The scope of a viewer who may also write. An administrator with the role `viewer` may not. */
export function writeScope(ctx: Context, kinds = ordinary): Scope {
  const scope = readScope(ctx, kinds)
  if (ctx.viewer?.type === 'administrator' && ctx.viewer.role === 'viewer') {
    throw new AppError('forbidden', 'An administrator with the role viewer may not change anything.')
  }
  return scope
}

/** For what no key with a scope can ever do, like creating a creator. */
export function organizationScope(ctx: Context): Scope {
  const scope = writeScope(ctx)
  if (scope.collectionId || scope.creatorId) {
    throw new AppError('forbidden', 'A key that is scoped to a collection or a creator may not do this.')
  }
  return scope
}

/**
 * For what the specification leaves to the dashboard: any administrator, whatever their role.
 * @throws AppError `unauthenticated`, `forbidden`
 */
export function personScope(ctx: Context): AdministratorViewer {
  const { viewer } = ctx
  if (!viewer) throw unauthenticated()
  if (viewer.type !== 'administrator') throw new AppError('forbidden', 'Only an administrator may do this.')
  return viewer
}

/** The dashboard's changes: administrators with the role owner or admin. */
export function administratorScope(ctx: Context): Scope {
  personScope(ctx)
  return writeScope(ctx)
}

/** For what decides who may do what: administrators with the role owner. */
export function ownerScope(ctx: Context): AdministratorViewer {
  const viewer = personScope(ctx)
  if (viewer.role !== 'owner') throw new AppError('forbidden', 'Only an administrator with the role owner may do this.')
  return viewer
}

export const unauthenticated = () =>
  new AppError('unauthenticated', 'Authorization: must be Bearer with a key that is known and valid')
