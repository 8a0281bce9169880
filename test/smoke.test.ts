import { afterAll, beforeAll, expect, test } from 'bun:test'
import { measure, tone } from './support/audio.ts'
import { startTestService, type TestService, uploadTrack } from './support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

test('a recording becomes ready, and its stream link plays', async () => {
  const trackId = await uploadTrack(service, await tone(3))
  await service.runJobs()
  const { json } = await service.v1('GET', `/track/${trackId}`)
  expect(json.track.track_status_id).toBe('ready')
  const link = await service.v1('GET', `/stream/${trackId}/${service.demo.share_key}`, { key: null })
  expect(link.status).toBe(302)
  const sound = await service.fetchEdge(link.headers.get('location') ?? '')
  expect(sound.status).toBe(200)
  expect((await measure(await sound.arrayBuffer())).codec).toBe('aac')
})
