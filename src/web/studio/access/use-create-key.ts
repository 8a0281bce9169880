import { useChange } from '../api.ts'
import { readText, readTexts, textOrNull, timeOrNull } from '../form-values.ts'
import { CreateApiKeyDocument, CreatePlayerKeyDocument, CreateUploaderKeyDocument } from '../generated/operations.ts'
import type { Kind } from './kinds.ts'

/** Creates a key from the fields of a form. `createdKey` is the key itself, which is shown once. */
export function useCreateKey(kind: Kind) {
  const [api, uploader] = [useChange(CreateApiKeyDocument), useChange(CreateUploaderKeyDocument)]
  const player = useChange(CreatePlayerKeyDocument)
  const { isPending, error, data } = { API: api, UPLOADER: uploader, PLAYER: player }[kind]
  const create = (fields: FormData) => {
    const general = {
      title: readText(fields, 'title'),
      collectionId: textOrNull(fields, 'collectionId'),
      expiresAt: timeOrNull(fields, 'expiresAt'),
    }
    if (kind === 'API') api.mutate({ input: general })
    if (kind === 'UPLOADER') uploader.mutate({ input: general })
    if (kind === 'PLAYER') {
      const isDownloadable = fields.get('isDownloadable') === 'on'
      player.mutate({ input: { ...general, variants: readTexts(fields, 'variants'), isDownloadable } })
    }
  }
  return { create, isPending, error, createdKey: data?.created.key }
}
