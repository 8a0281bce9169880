import { delay } from '../../../client/delay.ts'
import { sendCover } from '../../upload/service.ts'
import { useRun } from '../api.ts'
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
  coverImage?: { small: { url: string } } | null
}

const POLL_MS = 1000
const MAX_POLLS = 30

/** The stored image that a record shows: its address without the signature. */
const imageOf = (record: Covered | null | undefined) => record?.coverImage?.small.url.split('?')[0]

/** Returns functions that replace the cover of a record. */
export function useCover(owner: CoverOwner, id: string) {
  const run = useRun()

  async function open(): Promise<{ uploadUrl: string; before: string | undefined }> {
    if (owner === 'track') {
      const { track, trackCoverUpload } = (await run(CreateTrackCoverUploadDocument, { id })).createTrackCoverUpload
      return { ...trackCoverUpload, before: imageOf(track) }
    }
    if (owner === 'collection') {
      const answer = (await run(CreateCollectionCoverUploadDocument, { id })).createCollectionCoverUpload
      return { ...answer.collectionCoverUpload, before: imageOf(answer.collection) }
    }
    const answer = (await run(CreateOrganizationCoverUploadDocument, { id })).createOrganizationCoverUpload
    return { ...answer.organizationCoverUpload, before: imageOf(answer.organization) }
  }

  async function read(): Promise<string | undefined> {
    if (owner === 'track') return imageOf((await run(TrackCoverDocument, { id })).track)
    if (owner === 'collection') return imageOf((await run(CollectionCoverDocument, { id })).collection)
    return imageOf((await run(OrganizationCoverDocument, { id })).organization)
  }

  return {
    /** Sends a picture. @returns the image that it replaces */
    async send(file: File): Promise<string | undefined> {
      const { uploadUrl, before } = await open()
      await sendCover(file, { upload_url: uploadUrl })
      return before
    },
    /** Waits until another image is shown. @returns false when the processing takes longer than half a minute */
    async isReplaced(before: string | undefined): Promise<boolean> {
      for (let polls = 0; polls < MAX_POLLS; polls++) {
        await delay(POLL_MS)
        if ((await read()) !== before) return true
      }
      return false
    },
  }
}
