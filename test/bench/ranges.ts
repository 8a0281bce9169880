import { randomBytes } from 'node:crypto'
import { link, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { signDelivery } from '../../src/domain/delivery/token.ts'
import { freePort } from '../../src/platform/db/embedded.ts'
import { fillLibrary } from '../support/library.ts'
import { openWith } from '../support/signing-secret.ts'
import { until } from '../support/until.ts'
import { type Apart, SECRET, startApart } from './edge-process.ts'
import type { Figure } from './main.ts'
import { median } from './upload.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const ROUNDS = 5
const CONNECTIONS = 32
const FILE_BYTES = 2_400_000
const RANGE_BYTES = 65_536
const COLLECTIONS = 4
const TRACKS_PER_COLLECTION = 50

/** A kind of request. The goal is the rate of the edge as a share of the rate of nginx. */
const kinds = [
  { name: `${RANGE_BYTES / 1024} kB ranges`, rangeBytes: RANGE_BYTES, goal: 0.45 },
  { name: 'whole files', rangeBytes: FILE_BYTES, goal: 0.95 },
]

/** Random ranges of random files, and whole files, of the edge and of nginx with one process. */
export async function benchRanges(): Promise<Figure[]> {
  for (const [program, debian] of [
    ['nginx', 'nginx-light'],
    ['wrk', 'wrk'],
  ] as const) {
    if (!Bun.which(program)) throw new Error(`the ranges bench needs ${program} (Debian: apt-get install ${debian})`)
  }
  const apart = await startApart()
  let nginx: Peer | undefined
  try {
    const { folder, storage } = apart
    const { paths, secret } = await fillStorage(apart)
    nginx = await startNginx(folder, storage)
    const issued = Math.floor(Date.now() / 1000)
    const targets = {
      edge: {
        url: apart.edgeUrl,
        paths: paths.map((path) => `${path}?verify=${signDelivery(secret, path, issued)}`),
      },
      nginx: { url: nginx.url, paths },
    }
    const figures: Figure[] = []
    for (const { name, rangeBytes, goal } of kinds) {
      const script = await writeScript(folder, rangeBytes)
      const ratios: number[] = []
      for (let round = 1; round <= ROUNDS; round++) {
        const reference = await load(targets.nginx, script, folder)
        const measured = await load(targets.edge, script, folder)
        ratios.push(measured / reference)
        console.log(`${name}, round ${round}: edge ${measured}/s, nginx ${reference}/s`)
      }
      const ratio = median(ratios)
      figures.push({
        what: `edge, ${name} of ${paths.length} files of ${FILE_BYTES / 1e6} MB: requests/s / nginx`,
        measured: ratio.toFixed(2),
        goal: `>= ${goal}`,
        isMet: ratio >= goal,
        ...(rangeBytes === RANGE_BYTES && {
          summary: `Delivery of ${name} by an edge alone, rate of nginx with one process`,
        }),
      })
    }
    return figures
  } finally {
    await nginx?.stop()
    await apart.stop()
  }
}

/** Files in storage with rows that name them. @returns their paths, each with its leading slash */
async function fillStorage({ gateway, storage, databaseUrl }: Apart) {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const size = { collections: COLLECTIONS, tracks: TRACKS_PER_COLLECTION, files: 1 }
    await fillLibrary(client, gateway.credentials.organization_id, size)
    const { rows } = await client.query<{ path: string; secret: string }>(
      `UPDATE track_file f SET size = $1 FROM organization o WHERE o.id = f.organization_id AND f.path IS NOT NULL
       RETURNING f.path, o.signing_secrets[1] AS secret`,
      [FILE_BYTES],
    )
    const original = join(storage, 'original')
    await Bun.write(original, randomBytes(FILE_BYTES))
    for (const { path } of rows) {
      await mkdir(dirname(join(storage, path)), { recursive: true })
      await link(original, join(storage, path))
    }
    return { paths: rows.map(({ path }) => `/${path}`), secret: openWith(SECRET, rows[0]?.secret ?? '') }
  } finally {
    await client.end()
  }
}

/** A server with the same files. */
interface Peer {
  url: string
  stop: () => Promise<unknown>
}

/** Starts nginx with one process, as the service has one. `tcp_nopush` would delay ranges by 40 ms. */
async function startNginx(folder: string, root: string): Promise<Peer> {
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/nginx-${name};`)
    .join(' ')
  // Its workers cannot read the folder as another user.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const config = join(folder, 'nginx.conf')
  await Bun.write(
    config,
    `daemon off; ${user} worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit;
    events { worker_connections 1024; }
    http {
      ${temporary}
      access_log off; keepalive_requests 1000000000; sendfile on; tcp_nopush off; tcp_nodelay on;
      server { listen 127.0.0.1:${port}; root ${root}; }
    }`,
  )
  const child = Bun.spawn(['nginx', '-e', 'stderr', '-c', config], { stdout: 'ignore', stderr: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  await until('nginx to answer', 10_000, async () => {
    if (child.exitCode !== null) throw new Error('nginx has ended')
    return fetch(url).catch(() => null)
  })
  return {
    url,
    stop: () => {
      child.kill('SIGTERM')
      return child.exited
    },
  }
}

/** Writes a script of wrk that sends ranges of the paths in a file, in random order. All requests are made at its start. */
async function writeScript(folder: string, rangeBytes: number): Promise<string> {
  const path = join(folder, `ranges-${rangeBytes}.lua`)
  const header = rangeBytes === FILE_BYTES ? 'nil' : '{["Range"] = "bytes=" .. start .. "-" .. (start + bytes - 1)}'
  await Bun.write(
    path,
    `local bytes, requests = ${rangeBytes}, {}
    function init(args)
      for path in io.lines(args[1]) do
        for start = 0, ${FILE_BYTES} - bytes, bytes do
          requests[#requests + 1] = wrk.format("GET", path, ${header})
        end
      end
    end
    function request() return requests[math.random(#requests)] end`,
  )
  return path
}

/** @returns requests per second */
async function load({ url, paths }: { url: string; paths: string[] }, script: string, folder: string): Promise<number> {
  const list = join(folder, 'paths')
  await Bun.write(list, paths.join('\n'))
  const child = Bun.spawn(['wrk', '-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', script, url, '--', list])
  const output = await new Response(child.stdout).text()
  const failure = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(output)?.[0]
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]
  if (failure || !rate) throw new Error(`${url}: ${failure ?? 'no answer'}`)
  return Math.round(Number(rate))
}
