import { expect, setDefaultTimeout, test } from 'bun:test'
import { sendThroughStorm } from './webhook-storm.ts'

setDefaultTimeout(180_000)

test('every event arrives under one id, with one body, signed, while processes are killed', async () => {
  const { messages, seconds, ...after } = await sendThroughStorm({ events: 150, kills: 3, refused: 0.3 })
  console.log(`${after.recorded} events, ${messages} messages, ${seconds.toFixed(0)} s`)
  expect(after.recorded).toBeGreaterThanOrEqual(150)
  expect(after).toEqual({ recorded: after.recorded, arrived: after.recorded, forgotten: 0, forged: 0, changed: 0 })
  expect(messages).toBeGreaterThan(after.recorded)
})
