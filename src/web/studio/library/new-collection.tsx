import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { CreateCollectionDocument } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'

interface Props {
  isOpen: boolean
  onClose: () => void
  onCreated: (id: string) => void
}

/** The form of a new collection. The rest is edited on its page. */
export function NewCollection({ isOpen, onClose, onCreated }: Props) {
  const { mutate, isPending, error, reset } = useChange(CreateCollectionDocument)
  const close = () => {
    reset()
    onClose()
  }
  const create = (fields: FormData) => {
    const playerSubtitle = String(fields.get('playerSubtitle')) || null
    mutate(
      { input: { title: String(fields.get('title')), playerSubtitle } },
      { onSuccess: ({ createCollection }) => onCreated(createCollection.collection.id) },
    )
  }
  return (
    <Dialog title={t('library.newCollection')} isOpen={isOpen} onClose={close}>
      <EditForm onSubmit={create} onCancel={close} isBusy={isPending} error={error} label={t('studio.add')}>
        <TextInput label={t('library.title')} name="title" isRequired />
        <TextInput label={t('library.subtitle')} name="playerSubtitle" hint={t('library.subtitleHint')} />
      </EditForm>
    </Dialog>
  )
}
