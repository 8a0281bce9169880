import { t } from '../../strings.ts'
import { readText } from '../form-values.ts'
import { type LinkRowFragment as Link, UpdateShareKeyDocument } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { useEdit } from '../use-edit.ts'
import { LinkLimits, readChangedLimits } from './link-limits.tsx'

/** Changes the title and the limits of a link. Its address stays. */
export function EditLink({ of: link, onClose }: { of: Link; onClose: () => void }) {
  const edit = useEdit(UpdateShareKeyDocument, link.id, onClose)
  const save = (fields: FormData) => edit.save({ title: readText(fields, 'title'), ...readChangedLimits(fields, link) })
  return (
    <Dialog title={t('link.edit')} isOpen onClose={edit.close}>
      <EditForm onSubmit={save} onCancel={edit.close} isBusy={edit.isBusy} error={edit.error}>
        <TextInput
          label={t('access.title')}
          name="title"
          hint={t('link.titleHint')}
          defaultValue={link.title}
          isRequired
        />
        <LinkLimits of={link} />
      </EditForm>
    </Dialog>
  )
}
