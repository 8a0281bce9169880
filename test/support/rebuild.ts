import { data, post } from './administrators.ts'
import type { Answer, Json, TestService } from './service.ts'

const REBUILD = `mutation ($id: ID!, $input: RebuildTrackInput) { rebuildTrack(id: $id, input: $input) {
  jobId job { id kind state error variantIds track { id } } track { id status } } }`

/** Asks for files of a track to be made anew, as whoever holds the key. The `try` one answers as it is answered. */
export const rebuildAs = (service: TestService, key = service.demo.api_key) => ({
  tryRebuild: (id: string, input?: object): Promise<Answer> => post(service, REBUILD, { id, input }, { key }),
  rebuild: async (id: string, input?: object): Promise<Json> =>
    (await data(service, REBUILD, { id, input }, key)).rebuildTrack,
})
