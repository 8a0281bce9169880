import type { TestService } from '../support/service.ts'
import { UNKNOWN_ID } from './support.ts'

/** `key`: authenticated. `none`: an id or a key in the path is the credential (specification, section 5). */
export type Endpoint = [method: string, path: string, auth: 'key' | 'none']

/** Endpoints of the specification, section 4, and of the contract, sections 2, 3 and 7. */
export const endpoints: Endpoint[] = [
  ['GET', '/creator', 'key'],
  ['POST', '/creator', 'key'],
  ['GET', '/creator/:creator_id', 'key'],
  ['PUT', '/creator/:creator_id', 'key'],
  ['DELETE', '/creator/:creator_id', 'key'],
  ['GET', '/variant', 'key'],
  ['GET', '/variant/:variant_id', 'key'],
  ['POST', '/track/:track_id/variant', 'key'],
  ['POST', '/upload_session', 'key'],
  ['GET', '/upload_session/:upload_session_id', 'none'],
  ['POST', '/upload/:upload_session_id/track', 'none'],
  ['GET', '/stream/:track_id/:api_key', 'none'],
  ['GET', '/organization/:organization_id', 'key'],
  ['PUT', '/organization/:organization_id', 'key'],
  ['POST', '/api_key', 'key'],
  ['GET', '/collection', 'key'],
  ['POST', '/collection', 'key'],
  ['GET', '/collection/:collection_id', 'key'],
  ['PUT', '/collection/:collection_id', 'key'],
  ['DELETE', '/collection/:collection_id', 'key'],
  ['GET', '/collection/:collection_id/track', 'key'],
  ['POST', '/collection/:collection_id/cover', 'key'],
  ['POST', '/organization/:organization_id/cover', 'key'],
  ['POST', '/track', 'key'],
  ['GET', '/track/:track_id', 'key'],
  ['PUT', '/track/:track_id', 'key'],
  ['DELETE', '/track/:track_id', 'key'],
  ['POST', '/track/:track_id/cover', 'key'],
  ['POST', '/play_session/:scope', 'key'],
  ['GET', '/play_session/:play_session_id', 'none'],
  ['GET', '/play/:play_session_id/:track_id', 'none'],
  ['GET', '/play/:play_session_id/:track_id/:variant_index/download', 'none'],
  ['GET', '/event', 'key'],
]

/** Every path once, with any names of its parameters, and the methods that it takes. */
export const methodsByPath: [path: string, methods: string[]][] = Object.values(
  Object.groupBy(endpoints, ([, path]) => path.replace(/:\w+/g, ':')),
).map((list = []) => [list[0]?.[1] ?? '', list.map(([method]) => method).sort()])

/** Endpoints that name a record of one organization. */
export const recordEndpoints = endpoints.filter(([, path, auth]) => auth === 'key' && path.includes('_id'))

/** A path with its parameters filled in. */
export const fill = (path: string, ids: Record<string, string> = {}) =>
  path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? UNKNOWN_ID)

/** A body that is right in itself, so that the answer speaks of the path. */
export const bodyFor = (method: string, path: string): object | undefined => {
  if (method === 'POST' && path.endsWith('/variant')) return { variant_type_id: 'transcode', index: 'some-index' }
  return method === 'GET' || method === 'DELETE' ? undefined : {}
}

export const ask = (service: TestService, [method, path]: Endpoint, ids: Record<string, string> = {}) =>
  service.v1(method, fill(path, ids), { body: bodyFor(method, path) })
