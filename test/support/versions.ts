import { describe } from 'bun:test'
import type { Tools } from '../../src/platform/media/ffmpeg/tools.ts'
import { hostTools, packagedTools } from './tools.ts'

const isInstalled = Bun.which('ffmpeg') !== null

/** Versions of ffmpeg that people run: that of the npm packages, and that of the system, such as Debian's. */
const versions = [
  { version: `of the npm packages, ${packagedTools.version}`, tools: packagedTools, isMissing: false },
  {
    version: isInstalled ? `of the system, ${hostTools.version}` : 'of the system: not installed',
    tools: hostTools,
    isMissing: !isInstalled,
  },
]

/** Runs tests with each version of ffmpeg. The report lists the tests of one that is not installed as skipped, by its name. */
export function describeVersions(name: string, tests: (tools: Tools) => void): void {
  for (const { version, tools, isMissing } of versions) {
    describe.skipIf(isMissing)(`${name} ${version}`, () => tests(tools))
  }
}
