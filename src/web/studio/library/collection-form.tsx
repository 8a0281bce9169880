import { t } from '../../strings.ts'
import { type CollectionDetailFragment as Collection, UpdateCollectionDocument } from '../generated/operations.ts'
import { ColorInput } from '../ui/color.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Check, TextInput } from '../ui/field.tsx'
import { useEdit } from '../use-edit.ts'
import { changedChecks, changedTexts, useOpenedRecord } from './changes.tsx'
import { MetadataInput, useMetadata } from './metadata.tsx'

interface Props {
  collection: Collection
  isOpen: boolean
  onClose: () => void
}

const texts = ['title', 'playerSubtitle', 'organizationIndex', 'playerColor'] as const
const checks = ['isCoverOverridable', 'isThemeOverridable'] as const

/** Edits a collection. Only changed fields are sent, so that two persons do not undo each other's changes. */
export function EditCollection({ collection: latestCollection, isOpen, onClose }: Props) {
  const collection = useOpenedRecord(latestCollection, isOpen)
  const metadata = useMetadata(collection.metadata)
  const edit = useEdit(UpdateCollectionDocument, collection.id, () => {
    metadata.reset()
    onClose()
  })
  const save = (fields: FormData) => {
    const changed = metadata.changed(fields)
    if (!changed) return
    edit.save({
      ...changedTexts(fields, collection, texts),
      ...changedChecks(fields, collection, checks),
      ...changed,
    })
  }
  return (
    <Dialog title={t('library.editCollection')} isOpen={isOpen} onClose={edit.close}>
      <EditForm onSubmit={save} onCancel={edit.close} isBusy={edit.isBusy} error={metadata.error ?? edit.error}>
        <TextInput label={t('library.title')} name="title" defaultValue={collection.title} isRequired />
        <TextInput
          label={t('library.subtitle')}
          name="playerSubtitle"
          defaultValue={collection.playerSubtitle ?? ''}
          hint={t('library.subtitleHint')}
        />
        <ColorInput
          label={t('library.color')}
          name="playerColor"
          defaultValue={collection.playerColor ?? ''}
          hint={t('library.collectionColorHint')}
        />
        <Check name="isCoverOverridable" defaultSelected={collection.isCoverOverridable}>
          {t('library.ownCovers')}
        </Check>
        <Check name="isThemeOverridable" defaultSelected={collection.isThemeOverridable}>
          {t('library.ownThemes')}
        </Check>
        <TextInput
          label={t('library.identifier')}
          name="organizationIndex"
          defaultValue={collection.organizationIndex ?? ''}
          hint={t('library.identifierHint')}
        />
        <MetadataInput value={collection.metadata} />
      </EditForm>
    </Dialog>
  )
}
