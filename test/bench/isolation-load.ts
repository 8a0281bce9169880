// Sends operations of GraphQL, paths of /v1, or reports of players, for as long as it runs: `ISOLATION` names the address, keys and
// operations, whose `$SENT` makes each one new. A process of its own, so that reading large answers does not delay the measurement.
const { url, keys, operations, atOnce } = JSON.parse(process.env.ISOLATION ?? '') as {
  url: string
  keys: string[]
  operations: string[]
  atOnce: number
}

const counts = { answered: 0, refused: 0, bytes: 0 }
let isRunning = true
let sent = 0

async function send(): Promise<void> {
  while (isRunning) {
    const [key, operation = ''] = [keys[sent % keys.length], operations[Math.floor(sent / 3) % operations.length]]
    sent += 1
    if (operation.startsWith('POST ')) {
      await report(operation.slice('POST '.length))
      continue
    }
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const response = operation.startsWith('/')
      ? await fetch(url + operation, { headers })
      : await fetch(`${url}/graphql`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ query: operation.replace('$SENT', String(sent)) }),
        })
    const { byteLength } = await response.arrayBuffer()
    counts.bytes += byteLength
    if (byteLength > 1000) counts.answered += 1
    else counts.refused += 1
    // A tenant beyond its points costs little. It waits as a client would.
    if (byteLength <= 1000) await Bun.sleep(20)
  }
}

const BYTE = 256
const MAX_SECONDS = 200
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'

/** Reports what one of 65,536 listeners has heard. */
async function report(path: string): Promise<void> {
  const listener = Math.floor(Math.random() * BYTE ** 2)
  const response = await fetch(url + path.replace('$SECONDS', String(Math.ceil(Math.random() * MAX_SECONDS))), {
    method: 'POST',
    headers: { 'x-forwarded-for': `198.18.${Math.floor(listener / BYTE)}.${listener % BYTE}`, 'user-agent': AGENT },
  })
  if (response.status === 204) counts.answered += 1
  else counts.refused += 1
}

process.on('SIGTERM', () => {
  isRunning = false
})
await Promise.all(Array.from({ length: atOnce }, send))
console.log(JSON.stringify(counts))

export {}
