import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readText, timeOrNull } from '../form-values.ts'
import { CreateShareKeyDocument } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { LinkShown } from './link-shown.tsx'
import type { SharedSubject } from './subject.ts'
import { VariantChoice } from './variant-choice.tsx'

/** Creates the key of a link. */
export const useCreateLink = () => useChange(CreateShareKeyDocument)

interface Props {
  create: ReturnType<typeof useCreateLink>
  shared: SharedSubject
  onClose: () => void
}

/** Creates a share key for the subject and shows the link. */
export function ShareForm({ create, shared, onClose }: Props) {
  const { subject, collectionId, variants } = shared
  const apiKey = create.data?.created.key
  if (apiKey !== undefined) {
    return (
      <div className="form">
        <LinkShown {...subject} apiKey={apiKey} />
        <div className="actions">
          <Button kind="primary" onPress={onClose}>
            {t('studio.done')}
          </Button>
        </div>
      </div>
    )
  }
  const send = (fields: FormData) =>
    create.mutate({
      input: {
        title: readText(fields, 'title'),
        variant: readText(fields, 'variants'),
        expiresAt: timeOrNull(fields, 'expiresAt'),
        collectionId,
        trackId: subject.kind === 'track' ? subject.id : null,
      },
    })
  return (
    <EditForm
      onSubmit={send}
      onCancel={onClose}
      isBusy={create.isPending}
      error={create.error}
      label={t('access.createLink')}
    >
      <p>{t('access.shareLead', { title: subject.title })}</p>
      <TextInput
        label={t('access.title')}
        name="title"
        hint={t('link.titleHint')}
        defaultValue={subject.title.slice(0, 200)}
        isRequired
      />
      <VariantChoice variants={variants} />
      <TextInput label={t('access.expiresAt')} name="expiresAt" type="datetime-local" hint={t('link.expiryHint')} />
    </EditForm>
  )
}
