import { expect, test } from 'bun:test'
import { z } from 'zod'
import { enqueue, type Lane, periodic, task } from '../../../src/platform/jobs/task.ts'
import { startWorker } from '../../../src/roles/worker/run.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const TRANSFERS = 24

const service = useTestService()

test('a lane whose slots are taken does not stop the others', async () => {
  const { db, config } = service.services
  const payload = z.object({ name: z.string() })
  const began: string[] = []
  const blocked = Promise.withResolvers<void>()
  const definitionOf = (lane: Lane) => ({ name: `test_${lane}`, payload, maxAttempts: 1, lane })
  const lanes = ['processing', 'transfers'] as const
  const blocking = lanes.map((lane) =>
    task(definitionOf(lane), (_, { name }) => {
      began.push(name)
      return blocked.promise
    }),
  )
  const short = task(periodic('test_upkeep'), async () => void began.push('upkeep'))
  const worker = await startWorker({ ...service.services, config: { ...config, workers: 1 } }, [...blocking, short])
  const add = (lane: Lane, name: string) => enqueue(db, definitionOf(lane), { name }, { jobKey: name })
  try {
    for (let i = 0; i < TRANSFERS + 2; i++) await add('transfers', `transfer ${i}`)
    await until('the transfers to begin', 20_000, () => began.length === TRANSFERS)
    await add('processing', 'processing 0')
    await add('processing', 'processing 1')
    await until('the processing to begin', 20_000, () => began.length === TRANSFERS + 1)
    await enqueue(db, periodic('test_upkeep'), {}, { jobKey: 'upkeep' })
    await until('the upkeep', 20_000, () => began.includes('upkeep'))
    expect(began.filter((name) => name.startsWith('processing'))).toEqual(['processing 0'])
    expect(began.filter((name) => name.startsWith('transfer'))).toHaveLength(TRANSFERS)
  } finally {
    blocked.resolve()
    await worker.stop(20_000)
  }
})
