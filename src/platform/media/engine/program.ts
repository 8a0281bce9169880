// The engine's process: reads an order, carries it out and reports progress. A separate process, because measuring
// every sample would block the service's requests, and because one signal can end all programs of a recording.
import { carryOut } from './carry-out.ts'
import type { EngineOrder, Line } from './order.ts'

const write = (line: Line) => process.stdout.write(`${JSON.stringify(line)}\n`)

const order: EngineOrder = JSON.parse(await Bun.stdin.text())
const report = await carryOut(order, (seconds) => write({ seconds }))
write({ report })
