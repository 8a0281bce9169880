import type { ComponentProps } from 'react'
import { DropZone } from '../../upload/drop-zone.tsx'
import { useCanWrite } from '../role.ts'
import { useUploads } from './uploads-context.tsx'

interface Props extends Pick<ComponentProps<typeof DropZone>, 'isWholeWindow' | 'isButton'> {
  collectionId: string
}

/** Takes files for a collection, and a picture as its cover. Viewers may not upload and do not see it. */
export function UploadInto({ collectionId, ...zone }: Props) {
  const { add, addCover } = useUploads()
  if (!useCanWrite()) return null
  return (
    <DropZone
      {...zone}
      onFiles={(files) => add(collectionId, files)}
      onCover={(picture) => addCover(collectionId, picture)}
    />
  )
}
