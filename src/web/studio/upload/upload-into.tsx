import { DropZone } from '../../upload/drop-zone.tsx'
import { useCanWrite } from '../role.ts'
import { useUploads } from './uploads-context.tsx'

/** Takes files for a collection. Viewers may not upload and do not see it. */
export function UploadInto({ collectionId }: { collectionId: string }) {
  const { queue, sessionOf } = useUploads()
  if (!useCanWrite()) return null
  return <DropZone onFiles={(files) => queue.add(files, sessionOf(collectionId))} />
}
