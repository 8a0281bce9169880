// Lists the licenses of all packages, and fails for one that is not allowed: `bun run licenses`.
import { type LockedPackage, lockedPackages } from './packages.ts'

/** Licenses that ask for no more than a notice. */
const ALLOWED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'CC0-1.0',
  'BlueOak-1.0.0',
  'Python-2.0',
  'PSF-2.0',
  'Zlib',
])

interface Exception {
  packages: RegExp
  /** As in package.json; null for a package that names none. */
  license: string | null
  reason: string
}

const EXCEPTIONS: Exception[] = [
  {
    packages: /^@ff(mpeg|probe)-installer\//,
    license: 'LGPL-2.1',
    reason: 'loads the path of a program; not in the image',
  },
  {
    packages: /^@ffmpeg-installer\//,
    license: 'GPLv3',
    reason: 'a program of its own, started as a process; not in the image',
  },
  {
    packages: /^@ffmpeg-binary\//,
    license: 'GPL-3.0-or-later',
    reason: 'a program of its own, started as a process by tests',
  },
  {
    packages: /^@ffprobe-installer\//,
    license: 'GPL-3.0',
    reason: 'a program of its own, started as a process; not in the image',
  },
  {
    packages: /^@img\/sharp-/,
    license: 'LGPL-3.0-or-later',
    reason: 'libvips as a shared library, unchanged and replaceable',
  },
  {
    packages: /^@fontsource-variable\//,
    license: 'OFL-1.1',
    reason: 'the font of the pages, unchanged, under its name',
  },
  { packages: /^(peaks\.js|waveform-data)$/, license: 'LGPL-3.0', reason: 'readers of waveforms in tests' },
  { packages: /^axe-core$/, license: 'MPL-2.0', reason: 'checks of pages in tests, unchanged' },
  { packages: /^elkjs$/, license: 'EPL-2.0', reason: 'of the studio of the Prisma command, which is not used' },
  {
    packages: /^(combine-errors|humanize-number|seq-queue)$/,
    license: null,
    reason: 'MIT, as its files say; package.json does not',
  },
]

/**
 * Evaluates an SPDX expression, or the informal ones of old packages. Nested expressions are not evaluated, so they are not
 * allowed.
 */
export function isAllowed(expression: string): boolean {
  const choices = expression.replace(/^\((.*)\)$/, '$1').split(/ or /i)
  return choices.some((choice) => choice.split(/ and /i).every((id) => ALLOWED.has(id)))
}

/** Returns the packages whose license is not allowed. Those of other systems are not installed, and are left out. */
export function forbidden(packages: LockedPackage[]): LockedPackage[] {
  const isException = ({ name, license }: LockedPackage) =>
    EXCEPTIONS.some((exception) => exception.packages.test(name) && exception.license === license)
  return packages.filter((one) => {
    if (one.license === undefined || isException(one)) return false
    return one.license === null || !isAllowed(one.license)
  })
}

if (import.meta.main) {
  const packages = lockedPackages()
  for (const { name, version, license, isDevelopment } of packages) {
    const shown = license === undefined ? 'not installed on this system' : (license ?? 'not named')
    process.stdout.write(`${name}@${version}\t${shown}${isDevelopment ? '\tdevelopment' : ''}\n`)
  }
  const wrong = forbidden(packages)
  for (const { name, version, license } of wrong) {
    process.stderr.write(`${name}@${version}: the license ${license ?? 'is not named'} is not allowed\n`)
  }
  process.stderr.write(`${packages.length} packages, ${wrong.length} with a license that is not allowed\n`)
  if (wrong.length > 0) process.exit(1)
}
