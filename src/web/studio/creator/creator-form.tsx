import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import {
  CreateCreatorDocument,
  type CreatorDetailFragment as Creator,
  UpdateCreatorDocument,
} from '../generated/operations.ts'
import { changedTexts, useOpenedRecord } from '../library/changes.tsx'
import { MetadataInput, useMetadata } from '../library/metadata.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { useEdit } from '../use-edit.ts'

interface NewProps {
  isOpen: boolean
  onClose: () => void
  onCreated: (id: string) => void
}

/** The form of a new creator. */
export function NewCreator({ isOpen, onClose, onCreated }: NewProps) {
  const { mutate, isPending, error, reset } = useChange(CreateCreatorDocument)
  const close = () => {
    reset()
    onClose()
  }
  const create = (fields: FormData) =>
    mutate(
      { input: { organizationIndex: String(fields.get('organizationIndex')) } },
      { onSuccess: ({ createCreator }) => onCreated(createCreator.creator.id) },
    )
  return (
    <Dialog title={t('creator.new')} isOpen={isOpen} onClose={close}>
      <EditForm onSubmit={create} onCancel={close} isBusy={isPending} error={error} label={t('studio.add')}>
        <TextInput label={t('creator.name')} name="organizationIndex" hint={t('creator.nameHint')} isRequired />
      </EditForm>
    </Dialog>
  )
}

interface EditProps {
  creator: Creator
  isOpen: boolean
  onClose: () => void
}

/** Edits a creator. Only changed fields are sent. */
export function EditCreator({ creator: latestCreator, isOpen, onClose }: EditProps) {
  const creator = useOpenedRecord(latestCreator, isOpen)
  const metadata = useMetadata(creator.metadata)
  const edit = useEdit(UpdateCreatorDocument, creator.id, () => {
    metadata.reset()
    onClose()
  })
  const save = (fields: FormData) => {
    const changed = metadata.changed(fields)
    if (changed) edit.save({ ...changedTexts(fields, creator, ['organizationIndex']), ...changed })
  }
  return (
    <Dialog title={t('creator.edit')} isOpen={isOpen} onClose={edit.close}>
      <EditForm onSubmit={save} onCancel={edit.close} isBusy={edit.isBusy} error={metadata.error ?? edit.error}>
        <TextInput
          label={t('creator.name')}
          name="organizationIndex"
          defaultValue={creator.organizationIndex}
          hint={t('creator.nameHint')}
          isRequired
        />
        <MetadataInput value={creator.metadata} />
      </EditForm>
    </Dialog>
  )
}
