import { delay } from '../../../client/delay.ts'
import { sendCover } from '../../upload/service.ts'
import type { useRun } from '../api.ts'
import {
  CollectionCoverDocument,
  CreateCollectionCoverUploadDocument,
  CreateOrganizationCoverUploadDocument,
  CreateTrackCoverUploadDocument,
  OrganizationCoverDocument,
  TrackCoverDocument,
} from '../generated/operations.ts'

export type CoverOwner = 'track' | 'collection' | 'organization'

interface Covered {
  updatedAt: string
  coverImage?: { small: { url: string } } | null
}

const POLL_MS = 1000
const MAX_POLLS = 30

/**
 * Identifies the cover that a record shows. A cover has the address of the one before it, without the signature, so that
 * only the time of the last change differs.
 */
const identify = (record: Covered | null | undefined) =>
  `${record?.updatedAt} ${record?.coverImage?.small.url.split('?')[0]}`

/** Returns functions that replace the cover of a record. */
export function createCover(run: ReturnType<typeof useRun>, owner: CoverOwner, id: string) {
  async function open(): Promise<string> {
    if (owner === 'track')
      return (await run(CreateTrackCoverUploadDocument, { id })).createTrackCoverUpload.trackCoverUpload.uploadUrl
    if (owner === 'collection') {
      const { createCollectionCoverUpload } = await run(CreateCollectionCoverUploadDocument, { id })
      return createCollectionCoverUpload.collectionCoverUpload.uploadUrl
    }
    const { createOrganizationCoverUpload } = await run(CreateOrganizationCoverUploadDocument, { id })
    return createOrganizationCoverUpload.organizationCoverUpload.uploadUrl
  }

  async function read(): Promise<string> {
    if (owner === 'track') return identify((await run(TrackCoverDocument, { id })).track)
    if (owner === 'collection') return identify((await run(CollectionCoverDocument, { id })).collection)
    return identify((await run(OrganizationCoverDocument, { id })).organization)
  }

  return {
    /** Sends a picture. @returns the cover that it replaces, as it is while the picture waits to be processed */
    async send(file: File, signal?: AbortSignal): Promise<string> {
      await sendCover(file, { upload_url: await open() }, signal)
      return read()
    },
    /** Waits until another cover is shown. @returns false when the processing takes longer than half a minute */
    async isReplaced(before: string): Promise<boolean> {
      for (let polls = 0; polls < MAX_POLLS; polls++) {
        await delay(POLL_MS)
        if ((await read()) !== before) return true
      }
      return false
    },
  }
}
