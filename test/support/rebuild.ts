import { data, post } from './administrators.ts'
import type { Answer, Json, TestService } from './service.ts'

const REBUILD = `mutation ($id: ID!, $input: RebuildTrackInput) { rebuildTrack(id: $id, input: $input) {
  jobId job { id kind state error variantIds track { id } } track { id status } } }`

/** Rebuilds files of a track with a key. `tryRebuild` returns the whole answer. */
export const rebuildAs = (service: TestService, key = service.demo.api_key) => ({
  tryRebuild: (id: string, input?: object): Promise<Answer> => post(service, REBUILD, { id, input }, { key }),
  rebuild: async (id: string, input?: object): Promise<Json> =>
    (await data(service, REBUILD, { id, input }, key)).rebuildTrack,
})
