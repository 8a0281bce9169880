import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { readText } from '../form-values.ts'
import {
  type CollectionDetailFragment as Collection,
  PodcastCategoriesDocument,
  type PodcastType,
  UpdateCollectionDocument,
} from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Check, Choice, TextInput } from '../ui/field.tsx'
import { useEdit } from '../use-edit.ts'
import { changedChecks, changedTexts, useOpenedRecord } from './changes.tsx'

interface Props {
  collection: Collection
  isOpen: boolean
  onClose: () => void
}

const texts = ['description', 'language', 'author', 'ownerName', 'ownerEmail'] as const
const checks = ['isExplicit'] as const
const types: PodcastType[] = ['SERIAL', 'EPISODIC']

const NO_CATEGORY = 'none'

/** Returns the texts of what directories need and the feed does not have. */
export function findMissing({ language, podcastCategory, ownerEmail, coverImage }: Collection): string[] {
  const image = coverImage?.large
  return [
    ...(language ? [] : [t('library.needsLanguage')]),
    ...(podcastCategory ? [] : [t('library.needsCategory')]),
    ...(ownerEmail ? [] : [t('library.needsOwner')]),
    ...(image && !coverImage.artwork ? [t('library.needsLarger', { width: image.width })] : []),
  ]
}

/** Edits the fields of a collection for its podcast feed, below the list of what directories need. */
export function EditPodcast({ collection: latestCollection, isOpen, onClose }: Props) {
  const collection = useOpenedRecord(latestCollection, isOpen)
  const edit = useEdit(UpdateCollectionDocument, collection.id, onClose)
  const { data } = useData(PodcastCategoriesDocument, {})
  const current = collection.podcastCategory
  // The field shows the category before the others are read.
  const names = data?.podcastCategories ?? (current ? [current] : [])
  const categories = names.map((name) => ({ id: name, text: name }))
  const save = (fields: FormData) => {
    const category = readText(fields, 'podcastCategory')
    const podcastCategory = category === NO_CATEGORY ? null : category
    const podcastType = readText(fields, 'podcastType') as PodcastType
    edit.save({
      ...changedTexts(fields, collection, texts),
      ...changedChecks(fields, collection, checks),
      ...(podcastCategory !== current && { podcastCategory }),
      ...(podcastType !== collection.podcastType && { podcastType }),
    })
  }
  return (
    <Dialog title={t('library.editPodcast')} isOpen={isOpen} onClose={edit.close}>
      <Checklist missing={findMissing(collection)} />
      <EditForm onSubmit={save} onCancel={edit.close} isBusy={edit.isBusy} error={edit.error}>
        <TextInput
          label={t('library.description')}
          name="description"
          defaultValue={collection.description ?? ''}
          rows={4}
        />
        <TextInput
          label={t('library.podcastLanguage')}
          name="language"
          defaultValue={collection.language ?? ''}
          hint={t('library.languageHint')}
        />
        <Choice
          label={t('library.category')}
          name="podcastCategory"
          defaultValue={collection.podcastCategory ?? NO_CATEGORY}
          choices={[{ id: NO_CATEGORY, text: t('library.noCategory') }, ...categories]}
          hint={t('library.categoryHint')}
        />
        <Choice
          label={t('library.podcastType')}
          name="podcastType"
          defaultValue={collection.podcastType}
          choices={types.map((id) => ({ id, text: t(`library.type${id}`) }))}
        />
        <TextInput
          label={t('library.author')}
          name="author"
          defaultValue={collection.author ?? ''}
          hint={t('library.authorHint')}
        />
        <TextInput label={t('library.ownerName')} name="ownerName" defaultValue={collection.ownerName ?? ''} />
        <TextInput
          label={t('library.ownerEmail')}
          name="ownerEmail"
          defaultValue={collection.ownerEmail ?? ''}
          hint={t('library.ownerEmailHint')}
        />
        <Check name="isExplicit" defaultSelected={collection.isExplicit}>
          {t('library.isExplicit')}
        </Check>
      </EditForm>
    </Dialog>
  )
}

function Checklist({ missing }: { missing: readonly string[] }) {
  if (missing.length === 0) return <p>{t('library.feedComplete')}</p>
  return (
    <>
      <p id="feed-checklist">{t('library.feedNeeds')}</p>
      <ul aria-labelledby="feed-checklist">
        {missing.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  )
}
