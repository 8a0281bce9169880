import { type From, post, signIn } from './administrators.ts'
import type { Json, TestService } from './service.ts'

const page = '{ nodes { id deletedAt restorableUntil } totalCount }'

/** Deletes, restores and lists as the demo organization's owner, or with another credential. */
export function restoring(service: TestService) {
  let owner: string | undefined
  const send = async (text: string, from: From = {}): Promise<Json> => {
    owner ??= (await signIn(service)).token as string
    return (await post(service, text, {}, { key: owner, ...from })).json
  }
  /** Runs a mutation. @returns null, or the code and the message of its refusal */
  const run = async (text: string, from?: From) => {
    const [error] = (await send(`mutation { ${text} }`, from)).errors ?? []
    return error ? `${error.extensions.code}: ${error.message}` : null
  }
  return {
    send,
    deleteTrack: (id: string) => run(`deleteTrack(id: "${id}") { deletedTrack { id } }`),
    deleteCollection: (id: string) => run(`deleteCollection(id: "${id}") { deletedCollection { id } }`),
    restoreTrack: (id: string, from?: From) => run(`restoreTrack(id: "${id}") { track { id status } }`, from),
    restoreCollection: (id: string, from?: From) => run(`restoreCollection(id: "${id}") { collection { id } }`, from),
    /** @param args of the connection */
    deletedTracks: async (args = '', from?: From): Promise<Json> =>
      (await send(`{ deletedTracks${args} ${page} }`, from)).data.deletedTracks,
    deletedCollections: async (args = '', from?: From): Promise<Json> =>
      (await send(`{ deletedCollections${args} ${page} }`, from)).data.deletedCollections,
  }
}
