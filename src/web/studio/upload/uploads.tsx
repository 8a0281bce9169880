import { useState } from 'react'
import { t } from '../../strings.ts'
import { useCanWrite } from '../role.ts'
import { CollectionChoice } from '../ui/collection-choice.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { CoverUpload } from './cover-upload.tsx'
import { UploadInto } from './upload-into.tsx'
import { UploadLink } from './upload-link.tsx'

/** Uploads into any collection, and links for people without an account. */
export default function Uploads() {
  const canWrite = useCanWrite()
  return (
    <>
      <PageHeading text={t('studio.uploads')} />
      {canWrite ? <Chosen /> : <p>{t('upload.readOnly')}</p>}
    </>
  )
}

function Chosen() {
  const [id, setId] = useState<string | null>(null)
  return (
    <>
      <div className="form">
        <CollectionChoice label={t('upload.to')} hint={t('upload.search')} onChoose={setId} />
      </div>
      {id && (
        <div className="upload-into" key={id}>
          <UploadInto collectionId={id} />
          <div className="actions">
            <UploadLink collectionId={id} />
            <CoverUpload owner="collection" id={id} />
          </div>
        </div>
      )}
    </>
  )
}
