// Preloaded by every test run: an S3 server for the tests of a process, started by the first that needs it.
import { afterAll } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let server: ReturnType<typeof startServer> | undefined

async function startServer() {
  const { default: S3rver } = await import('@20minutes/s3rver')
  const directory = await mkdtemp(join(tmpdir(), 'tonearm-test-'))
  const s3rver = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, vhostBuckets: false })
  const { port } = (await s3rver.run()) as AddressInfo
  const stop = async () => {
    await s3rver.close()
    await rm(directory, { recursive: true, force: true })
  }
  return { origin: `http://127.0.0.1:${port}`, stop }
}

/** Returns the address of the S3 server. It verifies signatures, and accepts requests without one. */
export async function s3Origin(): Promise<string> {
  server ??= startServer()
  return (await server).origin
}

// With several processes this runs after each file, and the next file that needs a server starts another.
afterAll(async () => {
  const started = server
  server = undefined
  await (await started)?.stop()
})
