import type { Config } from '../../config.ts'
import { findSandbox } from '../../platform/media/ffmpeg/sandbox.ts'
import { findProgram, missingEncoders, type ProgramName } from '../../platform/media/ffmpeg/tools.ts'
import { type Check, type DoctorFinding, describeError, guide, ok, problem, warning } from './finding.ts'

const INSTALL = "install your distribution's package (Debian, Ubuntu: apt-get install ffmpeg)"

export const mediaChecks: Check[] = [
  { name: 'ffmpeg', run: (config) => checkProgram('ffmpeg', config) },
  { name: 'ffprobe', run: (config) => checkProgram('ffprobe', config) },
  { name: 'encoders', run: checkEncoders },
  { name: 'sandbox', settings: ['ROLES'], run: checkSandbox },
]

async function checkProgram(name: ProgramName, config: Config): Promise<DoctorFinding[]> {
  const remedy = `Set ${name.toUpperCase()} to the program, or ${INSTALL}.`
  try {
    const { path, version, isOutdated } = await findProgram(name, config[name])
    const summary = `${version} at ${path}`
    return [isOutdated ? warning(`${summary} is older than 5.0`, remedy) : ok(summary)]
  } catch (error) {
    return [problem(describeError(error), remedy)]
  }
}

/** Returns the path of a program, or null where its own check reports a problem. */
const findPath = (name: ProgramName, config: Config) =>
  findProgram(name, config[name]).then(
    ({ path }) => path,
    () => null,
  )

async function checkEncoders(config: Config): Promise<DoctorFinding[]> {
  const ffmpeg = await findPath('ffmpeg', config)
  if (ffmpeg === null) return []
  const missing = missingEncoders(ffmpeg)
  if (missing.length === 0) return [ok('ffmpeg has all that the variants need')]
  return [problem(`ffmpeg has no ${missing.join(', ')}`, `Set FFMPEG to a full build, or ${INSTALL}.`)]
}

async function checkSandbox(config: Config): Promise<DoctorFinding[]> {
  const programs = [await findPath('ffmpeg', config), await findPath('ffprobe', config)]
  const { sandbox, missing } = findSandbox(programs.filter((path) => path !== null))
  const wrappers = sandbox.filter((word) => word.startsWith('/') && !word.endsWith('/sh'))
  const names = [...new Set(wrappers.map((path) => path.slice(path.lastIndexOf('/') + 1)))]
  const summary =
    names.length > 0 ? `media programs run within ${names.join(', ')}` : 'media programs run without bounds'
  if (missing.length === 0) return [ok(summary)]
  // No setting gives root a limit of processes.
  const isMinor = missing.every((bound) => bound === 'process count')
  const text = `${summary}; missing bounds: ${missing.join(', ')}`
  if (isMinor || !config.roles.includes('worker')) return [ok(text)]
  const remedy = 'Allow user namespaces (in Docker by security_opt), install util-linux, run as a user other than root'
  return [warning(text, `${remedy}; ${guide('Sandbox')}.`)]
}
