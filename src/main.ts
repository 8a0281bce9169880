#!/usr/bin/env bun
import type { Logger } from 'pino'
import type { DemoOutput } from './cli/demo.ts'
import { isSupervised } from './cli/processes/members.ts'
import { ASSIGNMENT } from './cli/processes/messages.ts'
import type { Running } from './cli/serve.ts'
import type { Terminal } from './cli/start.ts'
import { START_USAGE, USAGE } from './cli/usage.ts'
import { type Config, loadConfig, OperatorError } from './config.ts'
import { createLog } from './platform/log.ts'
import { version } from './platform/version.ts'

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** Notes for people. Standard output has only the output of a command. */
const note = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** Resolves when the reader of standard output can take more. Ends the process if there is no reader any more. */
const write = (chunk: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(chunk, (error) => (error ? process.exit(1) : resolve()))
  })

/** On a terminal, the progress is in one line, which the next output replaces. */
function demoOutput(): DemoOutput {
  if (!process.stderr.isTTY || !process.stdout.isTTY) return { print }
  const clearLine = '\r\u001b[K'
  return {
    print: (line) => print(clearLine + line),
    showProgress: (line) => process.stderr.write(clearLine + line),
  }
}

const REPEAT_MS = 1000

/** Commands and their usages. */
const COMMANDS = new Map([
  ['start', async () => START_USAGE],
  ['admin', async () => (await import('./cli/admin.ts')).ADMIN_USAGE],
  ['demo', async () => (await import('./cli/demo.ts')).DEMO_USAGE],
  ['doctor', async () => (await import('./cli/doctor/doctor.ts')).DOCTOR_USAGE],
])

const isHelp = (argument: string) => argument === '--help' || argument === '-h'

/** Text of `help` and `--version`. Null for a command that runs. */
async function findText(command: string, args: string[]): Promise<string | null> {
  if (command === '--version') return version
  if (command === 'help' || isHelp(command)) {
    const usages = await Promise.all([...COMMANDS.values()].map((usage) => usage()))
    return [USAGE, ...usages].join('\n\n')
  }
  return args.some(isHelp) ? ((await COMMANDS.get(command)?.()) ?? null) : null
}

/** Loads only the modules of the command: those of a service take half a second. */
async function main(command = '', args: string[] = []): Promise<void> {
  const text = await findText(command, args)
  if (text !== null) return print(text)
  if (!COMMANDS.has(command)) {
    throw new OperatorError(command === '' ? USAGE : `unknown command "${command}"\n${USAGE}`)
  }
  if (command === 'start' && args[0] !== undefined) {
    throw new OperatorError(`start: unexpected argument "${args[0]}"\n${START_USAGE}`)
  }
  if (command === 'doctor') {
    const { doctor } = await import('./cli/doctor/doctor.ts')
    // Invalid settings are a finding of this command.
    process.exit(await doctor(process.env, args, { print }))
  }
  const config = loadConfig(process.env)
  const format = config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')
  const log = createLog(config.logLevel, format)
  if (command === 'admin') {
    const { admin } = await import('./cli/admin.ts')
    const output = await admin(config, createLog('silent', 'json'), args, { note, write })
    return output === null ? undefined : print(JSON.stringify(output))
  }
  if (command === 'demo') {
    const { demo } = await import('./cli/demo.ts')
    return demo(config, args, demoOutput())
  }
  // A collector of JSON reads one object in each line. The commands of a first upload are for a person all the same.
  const announce = (text: string, isFirst: boolean) => (isFirst || format !== 'json') && print(text)
  await run(config, log, { announce, isForPeople: process.stdout.isTTY })
}

/** Runs the service until a signal stops it. */
async function run(config: Config, log: Logger, terminal: Terminal): Promise<void> {
  const assigned = process.env[ASSIGNMENT]
  // Signal handlers are registered before the start completes: an aborted start also has to stop the database.
  const starting = startRoles(config, log, terminal, assigned)
  let stoppingSince: number | null = null
  const stop = async (signal: string) => {
    // Through a wrapper such as `bun run` one Ctrl-C arrives twice; a later one is a person who does not want to wait.
    if (stoppingSince !== null && performance.now() - stoppingSince < REPEAT_MS) return
    if (stoppingSince !== null) process.exit(1)
    stoppingSince = performance.now()
    log.info({ signal }, 'stopping')
    await (await starting).stop()
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  // Ctrl-C on a terminal signals all processes; those of a supervisor are stopped by it.
  process.on('SIGINT', assigned ? () => {} : stop)
  await starting
  await new Promise(() => {})
}

/** Starts a process of a supervisor, the supervisor, or the whole service. */
async function startRoles(
  config: Config,
  log: Logger,
  terminal: Terminal,
  assigned: string | undefined,
): Promise<Running> {
  if (assigned) {
    const { startMember } = await import('./cli/processes/member.ts')
    return startMember(config, log, JSON.parse(assigned))
  }
  if (isSupervised(config)) {
    const { startSupervised } = await import('./cli/processes/start-supervised.ts')
    return startSupervised(config, log, terminal)
  }
  const { start } = await import('./cli/start.ts')
  return start(config, log, terminal)
}

try {
  await main(process.argv[2], process.argv.slice(3))
  process.exit(0)
} catch (error) {
  // A supervisor reports the mistakes of its processes.
  const isReported = error instanceof OperatorError && process.env[ASSIGNMENT] !== undefined
  if (!isReported)
    process.stderr.write(error instanceof OperatorError ? `${error.message}\n` : `${Bun.inspect(error)}\n`)
  process.exit(1)
}
