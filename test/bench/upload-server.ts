// The reference of the upload bench: receives bodies, hashes them and writes them to files, and nothing else. Prints its
// port. The argument is its folder.
import { createHash, randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

const [folder = '.'] = process.argv.slice(2)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  maxRequestBodySize: 2 ** 40,
  idleTimeout: 255,
  async fetch({ body }) {
    if (!body) return new Response(null, { status: 400 })
    const path = join(folder, randomUUID())
    const hash = createHash('sha256')
    const file = await open(path, 'wx')
    for await (const chunk of body) {
      hash.update(chunk)
      await file.write(chunk)
    }
    await file.sync()
    await file.close()
    await rm(path)
    return new Response(hash.digest('hex'))
  },
})
console.log(server.port)
