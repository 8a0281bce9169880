// A process of a supervisor that behaves as its name says.
import type { Message } from '../../../src/cli/processes/messages.ts'

const { name } = JSON.parse(process.env.TONEARM_PROCESS ?? '')
const send = (message: Message) => process.send?.(message)

process.on('message', (message: Message) => {
  if (message.kind === 'ping' && name !== 'silent') send({ kind: 'pong' })
  if (message.kind !== 'metrics-read' || name === 'silent') return
  send({ kind: 'metrics', id: message.id, text: `# HELP a b\n# TYPE a gauge\na{process="${name}"} ${process.pid}\n` })
})
process.on('SIGTERM', () => {
  if (name !== 'stubborn') process.exit(0)
})
if (name === 'mistaken') {
  send({ kind: 'failed', message: 'PORT: is wrong' })
  process.exit(1)
}
send({ kind: 'started' })
if (name === 'short-lived') setTimeout(() => process.exit(1), 20)
setInterval(() => {}, 1000)
