import { t } from '../../strings.ts'
import { KeyCollectionChoice } from '../access/choices.tsx'
import { useChange, useData } from '../api.ts'
import { readText, textOrNull } from '../form-values.ts'
import { CreateShareKeyDocument, LinkVariantsDocument } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { DoneDialog } from '../ui/done-dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { LinkForms } from './link-dialogs.tsx'
import { LinkLimits, readLimits } from './link-limits.tsx'
import { VariantChoice } from './variant-choice.tsx'

/** Creates a link to a collection, or the key of all tracks, then shows it. */
export function NewLink({ onClose }: { onClose: () => void }) {
  const variants = useData(LinkVariantsDocument, {})
  const { mutate, data, isPending, error } = useChange(CreateShareKeyDocument)
  const send = (fields: FormData) =>
    mutate({
      input: {
        title: readText(fields, 'title'),
        collectionId: textOrNull(fields, 'collectionId'),
        variant: readText(fields, 'variants'),
        ...readLimits(fields),
      },
    })
  if (data) {
    const { key, record } = data.created
    return (
      <DoneDialog title={t('link.isCreated')} onClose={onClose}>
        <LinkForms link={{ trackId: null, track: null, collection: record.collection }} apiKey={key} />
      </DoneDialog>
    )
  }
  return (
    <Dialog title={t('link.create')} isOpen onClose={onClose}>
      <Answered of={variants}>
        {({ variants }) => (
          <EditForm onSubmit={send} onCancel={onClose} isBusy={isPending} error={error} label={t('link.create')}>
            <TextInput label={t('access.title')} name="title" hint={t('link.titleHint')} isRequired />
            <KeyCollectionChoice />
            <VariantChoice variants={variants.nodes} />
            <LinkLimits />
          </EditForm>
        )}
      </Answered>
    </Dialog>
  )
}
