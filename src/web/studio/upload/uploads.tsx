import { useState } from 'react'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { CollectionChoicesDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { SearchChoice } from '../ui/search-choice.tsx'
import { CoverUpload } from './cover-upload.tsx'
import { UploadInto } from './upload-into.tsx'
import { UploadLink } from './upload-link.tsx'

/** Uploads into any collection, and links for people without an account. */
export default function Uploads() {
  const canWrite = useCanWrite()
  return (
    <>
      <h1>{t('studio.uploads')}</h1>
      {canWrite ? <Chosen /> : <p>{t('upload.readOnly')}</p>}
    </>
  )
}

function Chosen() {
  const [search, setSearch] = useState('')
  const [id, setId] = useState<string | null>(null)
  const { data } = useData(CollectionChoicesDocument, { search: search || null })
  const choices = data?.collections.nodes.map(({ id, title }) => ({ id, text: title })) ?? []
  return (
    <>
      <div className="form">
        <SearchChoice
          label={t('upload.to')}
          name="collectionId"
          hint={t('upload.search')}
          choices={choices}
          onSearch={setSearch}
          onChoose={setId}
        />
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
