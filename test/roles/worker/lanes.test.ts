import { expect, test } from 'bun:test'
import { z } from 'zod'
import { loadConfig } from '../../../src/config.ts'
import { enqueue, type Lane, periodic, task } from '../../../src/platform/jobs/task.ts'
import { startWorker } from '../../../src/roles/worker/run.ts'
import { readEntries } from '../../support/queue.ts'
import { useTestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const TRANSFERS = 24
const SPEECH = 2
const toTranscription = () => loadConfig({ TRANSCRIBE_URL: 'http://127.0.0.1:9' }).transcription

const service = useTestService()

test('a lane whose slots are taken does not stop the others', async () => {
  const { db, config } = service.services
  const payload = z.object({ name: z.string() })
  const began: string[] = []
  const blocked = Promise.withResolvers<void>()
  const definitionOf = (lane: Lane) => ({ name: `test_${lane}`, payload, maxAttempts: 1, lane })
  const lanes = ['processing', 'transfers', 'speech'] as const
  const blocking = lanes.map((lane) =>
    task(definitionOf(lane), (_, { name }) => {
      began.push(name)
      return blocked.promise
    }),
  )
  const transcription = toTranscription()
  const short = task(periodic('test_upkeep'), async () => void began.push('upkeep'))
  const worker = await startWorker({ ...service.services, config: { ...config, workers: 1, transcription } }, [
    ...blocking,
    short,
  ])
  const add = (lane: Lane, name: string) => enqueue(db, definitionOf(lane), { name }, { jobKey: name })
  try {
    for (let i = 0; i < TRANSFERS + 2; i++) await add('transfers', `transfer ${i}`)
    await until('the transfers to begin', 20_000, () => began.length === TRANSFERS)
    await add('processing', 'processing 0')
    await add('processing', 'processing 1')
    await until('the processing to begin', 20_000, () => began.length === TRANSFERS + 1)
    for (let i = 0; i < SPEECH + 1; i++) await add('speech', `speech ${i}`)
    await until('the speech to begin', 20_000, () => began.length === TRANSFERS + 1 + SPEECH)
    await enqueue(db, periodic('test_upkeep'), {}, { jobKey: 'upkeep' })
    await until('the upkeep', 20_000, () => began.includes('upkeep'))
    expect(began.filter((name) => name.startsWith('processing'))).toEqual(['processing 0'])
    expect(began.filter((name) => name.startsWith('transfer'))).toHaveLength(TRANSFERS)
    expect(began.filter((name) => name.startsWith('speech'))).toHaveLength(SPEECH)
  } finally {
    blocked.resolve()
    await worker.stop(20_000)
  }
})

test('a worker without speech recognition leaves its jobs to others', async () => {
  const { db, config, pool } = service.services
  const began: string[] = []
  const payload = z.unknown()
  const speech = task(
    { name: 'test_speech_only', payload, maxAttempts: 1, lane: 'speech' },
    async () => void began.push('speech'),
  )
  const upkeep = task({ name: 'test_upkeep_only', payload, maxAttempts: 1 }, async () => void began.push('upkeep'))
  for (const { definition } of [speech, upkeep]) await enqueue(db, definition, {}, { jobKey: definition.name })
  expect(config.transcription).toBeUndefined()
  const worker = await startWorker(service.services, [speech, upkeep])
  try {
    await until('the upkeep', 20_000, () => began.includes('upkeep'))
    expect(await readEntries(pool, { task: 'test_speech_only' })).toMatchObject([{ isDue: true, attempts: 0 }])
  } finally {
    await worker.stop(20_000)
  }
  expect(began).toEqual(['upkeep'])
})
