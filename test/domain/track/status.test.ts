import { expect, test } from 'bun:test'
import { changeStatus } from '../../../src/domain/track/status.ts'
import { whileLocked } from '../../support/administrators.ts'
import { createTrack, setStatus } from '../../support/live.ts'
import { eventsOf } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

test('previous_status is the state that the change leaves, also when another transaction has just changed it', async () => {
  const { services } = service
  const trackId = await createTrack(service)
  await setStatus(service, trackId, 'processing')
  const change = () =>
    services.db.$transaction((tx) =>
      changeStatus(services, tx, trackId, { from: ['processing', 'fallback_processing'], to: 'ready' }),
    )
  const fallBack = "UPDATE track SET status = 'fallback_processing' WHERE id = $1"
  expect(await whileLocked(service, [[fallBack, [trackId]]], change, 1)).toBe(true)
  const [event, ...others] = await eventsOf(service, trackId)
  expect(others).toEqual([])
  expect(event?.data).toMatchObject({ status: 'ready', previous_status: 'fallback_processing' })
})

test('a change from another state writes nothing', async () => {
  const { services } = service
  const trackId = await createTrack(service)
  const change = { from: ['processing' as const], to: 'ready' as const }
  expect(await services.db.$transaction((tx) => changeStatus(services, tx, trackId, change))).toBe(false)
  expect(await eventsOf(service, trackId)).toEqual([])
})
