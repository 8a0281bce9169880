import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded.ts'
import { cleanUp, createPlace, type ServiceProcess, spawnMain, startProcess } from '../faults/process.ts'
import { until } from '../support/until.ts'

/** Root secret of both. */
export const SECRET = 'a-root-secret-for-a-bench-of-40-characters'

/** A gateway, and an edge in a process that is nothing else, so that its memory and CPU time are those of an edge. */
export interface Apart {
  gateway: ServiceProcess
  edgePid: number
  edgeUrl: string
  /** Of the edge, for files of the bench. */
  folder: string
  /** Folder of the objects of the edge. */
  storage: string
  databaseUrl: string
  stop: () => Promise<void>
}

/** Starts both on a database of their own. Without a worker, no recording is processed. */
export async function startApart(): Promise<Apart> {
  const gatewayPlace = await createPlace()
  const postgres = await startEmbeddedPostgres(join(gatewayPlace.folder, 'shared'))
  const shared = { DATABASE_URL: postgres.url, SECRET, RATE_LIMITS: 'off' }
  const edgePlace = await createPlace({ ...shared, ROLES: 'edge' })
  Object.assign(gatewayPlace.env, shared, { ROLES: 'gateway', DEMO: 'empty' })
  const edgeUrl = `http://localhost:${edgePlace.env.EDGE_PORT}`
  gatewayPlace.env.EDGE_URL = edgeUrl
  const stop = async () => {
    await cleanUp(edgePlace)
    await cleanUp(gatewayPlace).catch(() => {})
    await postgres.stop()
  }
  try {
    const gateway = await startProcess(gatewayPlace)
    const { child, stderr } = spawnMain(edgePlace)
    await until('the edge to be ready', 30_000, async () => {
      if (child.exitCode !== null) throw new Error(`the edge ended: ${await stderr()}`)
      return (await fetch(`http://localhost:${edgePlace.env.PORT}/health/ready`).catch(() => null))?.ok
    })
    const storage = join(edgePlace.env.DATA_DIR ?? '', 'storage')
    const { folder } = edgePlace
    return { gateway, edgePid: child.pid, edgeUrl, folder, storage, databaseUrl: postgres.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
