import { connect, createServer, type Socket } from 'node:net'

export type SilentProxy = Awaited<ReturnType<typeof startSilentProxy>>

/** A connection of a client through the proxy. */
interface Passage {
  client: Socket
  server: Socket
  /** Bytes that the client has sent since the connection is silent. Null while it is not. */
  withheld: Uint8Array[] | null
}

/**
 * Starts a proxy in front of PostgreSQL whose connections can fall silent: nothing arrives on either side, and no side
 * learns of the other's end. The network keeps the bytes that clients send while it is silent.
 * @param databaseUrl connection string of the database
 */
export async function startSilentProxy(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const passages = new Set<Passage>()
  let trigger: RegExp | null = null
  let isSilent = false

  const door = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port) })
    const passage: Passage = { client, server, withheld: isSilent ? [] : null }
    passages.add(passage)
    client.on('data', (bytes: Uint8Array) => {
      if (trigger?.test(new TextDecoder('latin1').decode(bytes))) {
        trigger = null
        passage.withheld ??= []
      }
      if (passage.withheld) passage.withheld.push(bytes)
      else server.write(bytes)
    })
    server.on('data', (bytes: Uint8Array) => passage.withheld || client.write(bytes))
    client.on('close', () => passage.withheld || server.end())
    server.on('close', () => {
      passages.delete(passage)
      client.destroy()
    })
    client.on('error', () => {})
    server.on('error', () => {})
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((door.address() as { port: number }).port)

  return {
    /** Connection string of the database through the proxy. */
    url: url.href,
    /** Number of connections that are silent. */
    silentCount: () => [...passages].filter(({ withheld }) => withheld).length,
    /** Makes all open connections silent. @param isForNew whether those that open later are silent too */
    silence: ({ isForNew = false } = {}) => {
      isSilent = isForNew
      for (const passage of passages) passage.withheld ??= []
    },
    /** Makes the next connection silent whose client sends matching bytes, from these on. */
    silenceAt: (pattern: RegExp) => {
      trigger = pattern
    },
    /** Ends all connections, so that the next ones prepare their statements again. */
    cut: () => {
      for (const { client } of passages) client.destroy()
    },
    /**
     * The network returns: what was sent arrives, followed by the end of connections whose client has left. Resolves when
     * PostgreSQL has ended these.
     */
    resume: async () => {
      isSilent = false
      trigger = null
      const silent = [...passages].filter(({ withheld }) => withheld)
      const ended = silent.map(({ client, server }) =>
        client.destroyed ? new Promise((resolve) => server.once('close', resolve)) : null,
      )
      for (const passage of silent) {
        for (const bytes of passage.withheld ?? []) passage.server.write(bytes)
        passage.withheld = null
        if (passage.client.destroyed) passage.server.end()
      }
      await Promise.all(ended)
    },
    stop: () => {
      for (const { client, server } of passages) {
        client.destroy()
        server.destroy()
      }
      door.close()
    },
  }
}
