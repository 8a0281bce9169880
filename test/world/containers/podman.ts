// podman with storage of its own, and base images from Debian's packages: no registry of images is needed.
import { existsSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../../.config/once.ts'

/** Programs that build and run images. */
const PROGRAMS = ['podman', 'buildah', 'runc', 'catatonit', 'debootstrap', 'iptables']
/** Programs that are missing, and the rights of root if they are. Tests are skipped by this name. */
export const missing = [
  ...PROGRAMS.filter((name) => !Bun.which(name)),
  ...(existsSync('/usr/lib/podman/netavark') ? [] : ['netavark']),
  ...(process.getuid?.() === 0 ? [] : ['root']),
]

const folder = join(root, 'test/.tmp/world-containers')
const settingsFile = (name: string) => join(folder, `${name}.conf`)
const env = {
  ...process.env,
  CONTAINERS_STORAGE_CONF: settingsFile('storage'),
  CONTAINERS_CONF: settingsFile('containers'),
  CONTAINERS_REGISTRIES_CONF: settingsFile('registries'),
}

const SETTINGS: Record<string, string> = {
  storage: `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`,
  containers: `[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
`,
  registries: 'unqualified-search-registries = ["docker.io"]\n',
}

/** Runs a command. @returns its standard output. @throws with its output when it fails */
export async function succeed(command: string[], options: { cwd?: string } = {}): Promise<string> {
  const child = Bun.spawn(command, { ...options, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}\n${stdout}\n${stderr}`)
  return stdout
}

export const podman = (...args: string[]) => succeed(['podman', ...args])

const hasImage = (name: string) =>
  podman('image', 'exists', name).then(
    () => true,
    () => false,
  )

const build = (name: string, context: string) =>
  succeed(['buildah', 'bud', '--isolation', 'chroot', '--tag', name, '.'], { cwd: context })

/** Steps of the public image, with the program that runs this test. */
const BUN = `FROM docker.io/library/debian:trixie-slim
COPY bun /usr/local/bin/bun
COPY certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN chmod 755 /usr/local/bin/bun && groupadd bun --gid 1000 \\
  && useradd bun --uid 1000 --gid bun --shell /bin/sh --create-home
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
WORKDIR /home/bun/app
`

/** Debian's PostgreSQL with the variables of the public image that docker-compose.yml uses. */
const POSTGRES = `FROM docker.io/library/debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/*
COPY start.sh /start.sh
ENTRYPOINT ["sh", "/start.sh"]
`
const POSTGRES_START = `set -e
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
data=/var/lib/postgresql/data
if [ ! -d $data ]; then
  install -d -o postgres -m 700 $data
  echo "$POSTGRES_PASSWORD" > /tmp/password
  su postgres -c "PATH=$PATH initdb -U $POSTGRES_USER --locale=C.UTF-8 --pwfile=/tmp/password --auth-host=scram-sha-256 -D $data" > /dev/null
  echo "host all all all scram-sha-256" >> $data/pg_hba.conf
  echo "CREATE DATABASE $POSTGRES_DB;" | su postgres -c "PATH=$PATH postgres --single -D $data postgres" > /dev/null
fi
ln -sf $(echo /usr/lib/postgresql/*/bin)/pg_isready /usr/local/bin/pg_isready
exec su postgres -c "PATH=$PATH exec postgres -D $data -c listen_addresses='*'"
`

/** Debian's Prometheus with the folder and the user of the public image. */
const PROMETHEUS = `FROM docker.io/library/debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends prometheus && rm -rf /var/lib/apt/lists/* \\
  && install -d -o nobody /prometheus
USER nobody
ENTRYPOINT ["/usr/bin/prometheus"]
`

/** The place of SeaweedFS: passes connections on to a server of the test. */
const BUCKET = `FROM docker.io/oven/bun:1.4.5-slim
COPY forward.ts /forward.ts
ENTRYPOINT ["bun", "/forward.ts"]
`
const FORWARD = `import { connect, createServer } from 'node:net'
const { FORWARD_HOST: host, FORWARD_PORT: port } = process.env
createServer((client) => {
  const upstream = connect({ host, port: Number(port) })
  client.pipe(upstream).pipe(client)
  for (const socket of [client, upstream]) socket.on('error', () => {})
}).listen(8333, '0.0.0.0')
`

/** Creates the images that Dockerfile and docker-compose.yml name. Those that exist are kept. */
export async function createBaseImages(): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(SETTINGS)) await Bun.write(settingsFile(name), text)
  if (!(await hasImage('docker.io/library/debian:trixie-slim'))) {
    const debian = join(folder, 'debian')
    await succeed(['rm', '-rf', debian])
    // Its signature is checked by the keys of this machine, which may be older than the release.
    await succeed(['debootstrap', '--variant=minbase', '--no-check-gpg', 'trixie', debian])
    await succeed(['sh', '-c', `tar -C ${debian} -c . | podman import - docker.io/library/debian:trixie-slim`])
    await succeed(['rm', '-rf', debian])
  }
  await createImage('docker.io/oven/bun:1.4.5-slim', { Containerfile: BUN }, async (context) => {
    await cp(process.execPath, join(context, 'bun'), { dereference: true })
    await cp('/etc/ssl/certs/ca-certificates.crt', join(context, 'certificates.crt'), { dereference: true })
  })
  await createImage('docker.io/library/postgres:18.1', { Containerfile: POSTGRES, 'start.sh': POSTGRES_START })
  await createImage('docker.io/prom/prometheus:v3.5.0', { Containerfile: PROMETHEUS })
  await createImage('docker.io/chrislusf/seaweedfs:4.47', { Containerfile: BUCKET, 'forward.ts': FORWARD })
}

async function createImage(
  name: string,
  files: Record<string, string>,
  addFiles?: (context: string) => Promise<void>,
): Promise<void> {
  if (await hasImage(name)) return
  const context = join(folder, 'context', name)
  for (const [path, text] of Object.entries(files)) await Bun.write(join(context, path), text)
  await addFiles?.(context)
  await build(name, context)
  await succeed(['rm', '-rf', context])
}

/** Builds the Dockerfile from the files that git has, as the release workflow does. */
export async function buildImage(name: string): Promise<void> {
  const sources = join(folder, 'sources')
  await succeed(['rm', '-rf', sources])
  await mkdir(sources, { recursive: true })
  await succeed(['sh', '-c', `git ls-files -z | xargs -0 -I{} cp --parents -P {} ${sources}`], { cwd: root })
  await build(name, sources)
  await succeed(['rm', '-rf', sources])
}
