// The engine's process: reads an order, carries it out, says how far it is. Of its own, for what it does with every
// sample would hold up the requests of the service, and so that all that belongs to a recording ends with one signal.
import { carryOut } from './carry-out.ts'
import type { Line, Order } from './order.ts'

const say = (line: Line) => process.stdout.write(`${JSON.stringify(line)}\n`)

const order: Order = JSON.parse(await Bun.stdin.text())
const report = await carryOut(order, (seconds) => say({ seconds }))
say({ report })
