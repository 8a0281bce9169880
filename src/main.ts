import { loadConfig } from './config.ts'
import { OperatorError } from './platform/errors.ts'
import { createLog } from './platform/log.ts'
import { admin } from './roles/operator/admin.ts'
import { demo } from './roles/operator/demo.ts'
import { start } from './roles/operator/start.ts'

const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const REPEAT_MS = 1000

async function main(command: string | undefined, args: string[]): Promise<void> {
  const config = loadConfig(process.env)
  const log = createLog(config.logLevel, config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json'))
  if (command === 'admin') return print(JSON.stringify(await admin(config, createLog('silent', 'json'), args)))
  if (command === 'demo') return demo(config, args[0], print)
  if (command !== 'start') throw new OperatorError('usage: bun src/main.ts start | admin <command> | demo FILE')

  // Listened for from the first moment on: a start that is called off has a database to stop, too.
  const starting = start(config, log, print)
  let stoppingSince: number | null = null
  const stop = async (signal: string) => {
    // Through a wrapper such as `bun run` one Ctrl-C arrives twice; a later one is a person who will not wait.
    if (stoppingSince !== null && performance.now() - stoppingSince < REPEAT_MS) return
    if (stoppingSince !== null) process.exit(1)
    stoppingSince = performance.now()
    log.info({ signal }, 'stopping')
    await (await starting).stop()
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  await starting
  await new Promise(() => {})
}

try {
  await main(process.argv[2], process.argv.slice(3))
  process.exit(0)
} catch (error) {
  process.stderr.write(error instanceof OperatorError ? `${error.message}\n` : `${Bun.inspect(error)}\n`)
  process.exit(1)
}
