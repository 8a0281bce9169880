// Runs in the place of the picture decoder and reports what a hijacked decoder could reach.
// Arguments: a picture, whose text is a JSON list of the questions; the folder for results.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'

const [questions = '', folder = ''] = process.argv.slice(2)
/** Without bounds it only reads: as root it would do damage. */
const { secret, storage, foreign, pid, port, program, isReadOnly } = JSON.parse(readFileSync(questions, 'utf8'))

const attempt = (action: () => unknown): string => {
  try {
    return `done: ${JSON.stringify(action() ?? null)}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
const reach = () =>
  new Promise<string>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('connect', () => {
      socket.destroy()
      resolve('done')
    })
    socket.on('error', (error) => resolve(String((error as NodeJS.ErrnoException).code)))
  })

const report = {
  readSecret: attempt(() => readFileSync(secret, 'utf8')),
  listStorage: attempt(() => readdirSync(storage)),
  writeStorage: isReadOnly ? '' : attempt(() => writeFileSync(`${storage}/forged`, '')),
  readForeignPackage: attempt(() => readFileSync(foreign, 'utf8').length),
  changeProgram: isReadOnly ? '' : attempt(() => writeFileSync(program, '')),
  changeSetting: isReadOnly ? '' : attempt(() => writeFileSync('/proc/sys/kernel/core_pattern', '')),
  signal: attempt(() => process.kill(pid, 0)),
  connect: await reach(),
  roots: readdirSync('/').sort(),
  etc: attempt(() => readdirSync('/etc')),
  processes: readdirSync('/proc').filter((name) => /^\d+$/.test(name)),
  // Only compiled JavaScript is in memory that is both writable and executable.
  isCompiled: / rwxp /.test(readFileSync('/proc/self/maps', 'utf8')),
  environment: Object.keys(process.env).sort(),
  writeFolder: attempt(() => writeFileSync(`${folder}/result`, 'made')),
}
console.log(JSON.stringify(report))
