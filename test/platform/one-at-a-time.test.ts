import { expect, test } from 'bun:test'
import { oneAtATime } from '../../src/platform/one-at-a-time.ts'

test('runs work one at a time in the order of the calls, also after an error', async () => {
  const inTurn = oneAtATime()
  const steps: string[] = []
  const work = (name: string, gate: Promise<void>) =>
    inTurn(async () => {
      steps.push(`${name} begins`)
      await gate
      steps.push(`${name} ends`)
      return name
    })
  const gate = Promise.withResolvers<void>()
  const first = work('a', gate.promise)
  const failed = work('b', Promise.reject(new Error('broken'))).catch(({ message }) => message)
  const last = work('c', Promise.resolve())
  gate.resolve()
  expect(await Promise.all([first, failed, last])).toEqual(['a', 'broken', 'c'])
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'c begins', 'c ends'])
})
