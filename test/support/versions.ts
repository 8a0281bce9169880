import { describe } from 'bun:test'
import { findTools, type Tools } from '../../src/platform/media/ffmpeg/tools.ts'
import { PACKAGED_FFPROBE, packagedTools, STATIC_FFMPEG, systemTools } from './tools.ts'

const staticTools = STATIC_FFMPEG ? await findTools({ ffmpeg: STATIC_FFMPEG, ffprobe: PACKAGED_FFPROBE }) : null

/** Versions of ffmpeg that people run: those of npm packages (Debian 13 has 7 too), and that of the system. */
const versions = [
  { version: `of the npm packages, ${packagedTools.version}`, tools: packagedTools, isMissing: false },
  {
    version: staticTools ? `of a static build, ${staticTools.version}` : 'of a static build: not installed',
    tools: staticTools ?? packagedTools,
    isMissing: !staticTools,
  },
  {
    version: systemTools ? `of the system, ${systemTools.version}` : 'of the system: not installed',
    tools: systemTools ?? packagedTools,
    isMissing: !systemTools,
  },
]

/** Runs tests with each version of ffmpeg. The report lists the tests of one that is not installed as skipped, by its name. */
export function describeVersions(name: string, tests: (tools: Tools) => void): void {
  for (const { version, tools, isMissing } of versions) {
    describe.skipIf(isMissing)(`${name} ${version}`, () => tests(tools))
  }
}
