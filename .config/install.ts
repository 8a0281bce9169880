// Installs the packages of the lockfile, once per state of it: those that running and building need. With `--all` also those of
// tests and tools; a checkout that has these keeps them.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { patchedDependencies } from '../package.json'
import { once, root } from './once.ts'

const modules = join(root, 'node_modules')
/** Exists where the packages of tests and tools are installed. */
const marker = join(modules, '.all')

/** Files that nothing here reads: a third of the size. */
const UNUSED = [
  '**/*.map',
  // Builds of the editor for other loaders.
  'monaco-editor/{dev,min}/**',
  // Builds of the icons for other loaders, and themes for code.
  'lucide/dist/{cjs,umd}/**',
  'highlight.js/lib/languages/**',
  'highlight.js/{scss,styles}/**',
  // Builds for other loaders, with subtitles and encryption, and the sources.
  'hls.js/dist/hls{,-demo,.worker,.min,.light,.light.min}.js',
  'hls.js/dist/hls{,.min,.light.min}.mjs',
  'hls.js/src/**',
  'shaka-player/dist/*{ui,debug,dash,hls,es2021,experimental,externs}*',
  'shaka-player/ui/**',
  // Sources of a package of Prisma, which runs from its build.
  'effect/src/**',
  // Of databases other than PostgreSQL.
  '@prisma/client/runtime/query_compiler_*.{cockroachdb,mysql,sqlite,sqlserver}.*',
]

const hasTools = existsSync(marker)
const isAll = hasTools || process.argv.includes('--all')
if (isAll && !hasTools) rmSync(join(modules, '.stamp'), { force: true })
const inputs = ['package.json', 'bun.lock', 'bunfig.toml', '.config/install.ts', ...Object.values(patchedDependencies)]
await once('node_modules', inputs, () => {
  const size = isAll ? '250 MB, with those of tests and tools' : '180 MB'
  process.stderr.write(`Installing packages. The first time this downloads about ${size}.\n`)
  // Peers that running needs are dependencies of this project. The others are for types.
  const parts = isAll ? [] : ['--production', '--omit=peer']
  const began = performance.now()
  const command = [process.execPath, 'install', '--frozen-lockfile', '--silent', ...parts]
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (exitCode !== 0) process.exit(exitCode || 1)
  for (const pattern of UNUSED) {
    for (const path of new Glob(pattern).scanSync({ cwd: modules, dot: true })) rmSync(join(modules, path))
  }
  if (isAll) writeFileSync(marker, '')
  process.stderr.write(`Installed in ${Math.round((performance.now() - began) / 1000)} s.\n`)
})
