import type { Config } from '../../config.ts'
import { GRAPHQL_CONNECTIONS } from '../../platform/db/client.ts'
import type { Assignment } from './messages.ts'

/**
 * Connections to the database of one process: 20 of the pool, those of GraphQL, one for notifications, one for migrations at
 * the start.
 */
export const PROCESS_CONNECTIONS = 22 + GRAPHQL_CONNECTIONS

/** Whether a service consists of several processes. A worker alone has nothing to share. */
export const isSupervised = ({ webConcurrency, roles }: Config): boolean =>
  webConcurrency > 1 && (roles.includes('gateway') || roles.includes('edge'))

/** The processes of a supervised service: WEB_CONCURRENCY that listen, and one with the role worker. */
export function listMembers({ webConcurrency, roles }: Config): Omit<Assignment, 'databaseUrl'>[] {
  const web = Array.from({ length: webConcurrency }, (_, i) => ({ name: `web-${i + 1}`, part: 'web' as const }))
  return roles.includes('worker') ? [...web, { name: 'worker', part: 'worker' }] : web
}

/** Largest number of connections that a service with these settings opens. */
export const countConnections = (config: Config): number =>
  PROCESS_CONNECTIONS * (isSupervised(config) ? listMembers(config).length : 1)
