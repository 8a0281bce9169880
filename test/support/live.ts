import { createNotifications } from '../../src/platform/db/notify.ts'
import { createGateway } from '../../src/roles/gateway/app.ts'
import type { TestService } from './service.ts'
import { listenGateway } from './subscriber.ts'

/**
 * A gateway as another process would run it over the same database, on a port of its own.
 * @param idleSeconds after which the server closes a connection that takes nothing
 */
export function startReplica({ services }: TestService, port = 0, idleSeconds = 255) {
  const { direct, log } = services
  const notifications = createNotifications(direct.options, log)
  const gateway = createGateway({ ...services, notifications })
  const { server, ...address } = listenGateway({ gateway }, port, idleSeconds)
  return {
    ...address,
    notifications,
    /** Number of requests that have not been answered completely. */
    pendingRequests: () => server.pendingRequests,
    /** As the process does on SIGTERM. */
    stop: async () => {
      await notifications.end()
      await server.stop()
    },
  }
}

/** Creates a track without a recording. The collection defaults to the demo collection. */
export async function createTrack(service: TestService, collectionId = service.demo.collection_id): Promise<string> {
  const body = { collection_id: collectionId, file_name: 'a.wav' }
  return (await service.v1('POST', '/track', { body })).json.track_id
}

/** Changes the status of a track by SQL, as another process would. */
export const setStatus = ({ services }: TestService, trackId: string, status: string) =>
  services.pool.query('UPDATE track SET status = $2::track_status WHERE id = $1', [trackId, status])

export const setProgress = ({ services }: TestService, trackId: string, progress: number) =>
  services.pool.query('UPDATE track SET progress = $2 WHERE id = $1', [trackId, progress])

/** FROM and WHERE of a query for the connections that LISTEN. */
export const LISTENING = `FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%'`
