import type { ComponentProps } from 'react'
import { DropZone } from '../../upload/drop-zone.tsx'
import { useCanWrite } from '../role.ts'
import { useUploads } from './uploads-context.tsx'

interface Props extends Pick<ComponentProps<typeof DropZone>, 'isWholeWindow' | 'isButton'> {
  collectionId: string
}

/** Takes files for a collection. Viewers may not upload and do not see it. */
export function UploadInto({ collectionId, ...zone }: Props) {
  const { queue, sessionOf } = useUploads()
  if (!useCanWrite()) return null
  return <DropZone {...zone} onFiles={(files) => queue.add(files, sessionOf(collectionId))} />
}
