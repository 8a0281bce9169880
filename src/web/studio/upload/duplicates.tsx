import { Link } from 'wouter'
import { formatNumber, t } from '../../strings.ts'
import { Button } from '../ui/button.tsx'
import type { Duplicate, Original } from './find-duplicates.ts'
import { useUploads } from './uploads-context.tsx'

/** Rows in the document. The buttons for all decide about the others, too. */
const MAX_ROWS = 50

/** Files whose recording exists already, with the choice to upload them anyway. */
export function Duplicates({ duplicates }: { duplicates: readonly Duplicate[] }) {
  const { decide } = useUploads()
  const count = duplicates.length
  return (
    <div className="upload-duplicates">
      {count > 1 && (
        <div className="upload-duplicates-all">
          <p>{t('upload.duplicates', { count: formatNumber(count) })}</p>
          <div className="actions">
            <Button onPress={() => decide(duplicates, 'skip')}>{t('upload.skipAll')}</Button>
            <Button onPress={() => decide(duplicates, 'upload')}>{t('upload.uploadAll')}</Button>
          </div>
        </div>
      )}
      <ul>
        {duplicates.slice(0, MAX_ROWS).map((duplicate) => (
          <li key={duplicate.id}>
            <p>
              <strong>{duplicate.file.name}</strong> <Existing of={duplicate.original} />
            </p>
            <div className="actions">
              <Button onPress={() => decide([duplicate], 'skip')}>{t('upload.skip')}</Button>
              <Button onPress={() => decide([duplicate], 'upload')}>{t('upload.uploadAnyway')}</Button>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Existing({ of: { trackId, title, collectionTitle } }: { of: Original }) {
  if (trackId === null) return t('upload.sameAs', { name: title })
  return (
    <>
      {t('upload.exists')} <Link href={`/track/${trackId}`}>{title}</Link>
      {collectionTitle && ` ${t('upload.existsIn', { collection: collectionTitle })}`}
    </>
  )
}
