#!/usr/bin/env bun
import type { Logger } from 'pino'
import { ADMIN_USAGE, admin } from './cli/admin.ts'
import { DEMO_USAGE, type DemoOutput, demo } from './cli/demo.ts'
import { DOCTOR_USAGE, doctor } from './cli/doctor/doctor.ts'
import { startMember } from './cli/processes/member.ts'
import { isSupervised } from './cli/processes/members.ts'
import { ASSIGNMENT } from './cli/processes/messages.ts'
import { startSupervised } from './cli/processes/start-supervised.ts'
import { start } from './cli/start.ts'
import { type Config, loadConfig, OperatorError } from './config.ts'
import { createLog } from './platform/log.ts'

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

const USAGE = 'usage: tonearm start | admin <command> | demo FILE | doctor [--json]'
const COMMANDS = ['start', 'admin', 'demo', 'doctor']

async function main(command: string | undefined, args: string[]): Promise<void> {
  if (command === '--help') return print(`${USAGE}\n\n${ADMIN_USAGE}\n\n${DOCTOR_USAGE}`)
  if (command === 'admin' && args.includes('--help')) return print(ADMIN_USAGE)
  if (command === 'demo' && args.includes('--help')) return print(DEMO_USAGE)
  if (command === 'doctor' && args.includes('--help')) return print(DOCTOR_USAGE)
  if (!COMMANDS.includes(command ?? '')) {
    throw new OperatorError(command === undefined ? USAGE : `unknown command "${command}"\n${USAGE}`)
  }
  // Invalid settings are a finding of this command.
  if (command === 'doctor') process.exit(await doctor(process.env, args, { print }))
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel, config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json'))
  if (command === 'admin') {
    const output = await admin(config, createLog('silent', 'json'), args, { note, write })
    return output === null ? undefined : print(JSON.stringify(output))
  }
  if (command === 'demo') return demo(config, args, demoOutput())
  await run(config, log)
}

/** Runs the service until a signal stops it. */
async function run(config: Config, log: Logger): Promise<void> {
  const assigned = process.env[ASSIGNMENT]
  // Signal handlers are registered before the start completes: an aborted start also has to stop the database.
  const starting = assigned
    ? startMember(config, log, JSON.parse(assigned))
    : (isSupervised(config) ? startSupervised : start)(config, log, print)
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
