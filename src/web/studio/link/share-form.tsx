import { copyText } from '../../copy-text.ts'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readText } from '../form-values.ts'
import { CreateShareKeyDocument } from '../generated/operations.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import { LinkLimits, readLimits } from './link-limits.tsx'
import { LinkPreview } from './link-preview.tsx'
import { OtherForms } from './link-shown.tsx'
import { formatAddresses } from './share-address.ts'
import { findReusableKey, formatStandardInput, type SharedSubject } from './subject.ts'
import { VariantChoice } from './variant-choice.tsx'
import { findDefault } from './variants.ts'

/** Creates the key of a link. */
export const useCreateLink = () => useChange(CreateShareKeyDocument)

interface Props {
  create: ReturnType<typeof useCreateLink>
  shared: SharedSubject
  onClose: () => void
}

/** The link to a subject, or one button that makes and copies it. Other forms and decisions are below. */
export function ShareForm({ create, shared, onClose }: Props) {
  const { subject } = shared
  const variant = findDefault(shared.variants)
  const apiKey = create.data?.created.key ?? (variant ? findReusableKey(shared, variant.id) : null)
  const link = apiKey === null ? null : formatAddresses(subject, apiKey, location.origin).link
  const send = () => {
    if (!variant) return
    const creating = create.mutateAsync({ input: formatStandardInput(shared, variant.id) })
    const copying = copyText(
      creating.then(({ created }) => formatAddresses(subject, created.key, location.origin).link),
    )
    // The refusal is shown by the form.
    copying.then((isCopied) => isCopied && say(t('link.copied', { title: subject.title }))).catch(() => {})
  }
  return (
    <div className="form share">
      {link !== null && <CopyField label={t('access.link')} value={link} hint={t('link.lead')} isMain />}
      {apiKey === null && variant && (
        <>
          <p>{t('access.shareLead', { title: subject.title })}</p>
          <Refusal error={create.error} />
          <Button kind="primary" onPress={send} isPending={create.isPending}>
            {t('link.createAndCopy')}
          </Button>
        </>
      )}
      <LinkPreview of={shared} link={link} />
      {apiKey !== null && (
        <details>
          <summary>{t('link.otherForms')}</summary>
          <div className="form">
            <OtherForms {...subject} apiKey={apiKey} />
          </div>
        </details>
      )}
      <details open={!variant && apiKey === null}>
        <summary>{t('link.options')}</summary>
        <Options key={apiKey} create={create} shared={shared} />
      </details>
      <div className="actions">
        <Button onPress={onClose}>{t('studio.done')}</Button>
      </div>
    </div>
  )
}

/** Makes another link, with a variant and an end of a person's choice. */
function Options({ create, shared }: Pick<Props, 'create' | 'shared'>) {
  const { subject, collectionId, variants } = shared
  const send = (fields: FormData) =>
    create.mutate({
      input: {
        title: readText(fields, 'title'),
        variant: readText(fields, 'variants'),
        ...readLimits(fields),
        collectionId,
        trackId: subject.kind === 'track' ? subject.id : null,
      },
    })
  return (
    <EditForm onSubmit={send} isBusy={create.isPending} error={create.error} label={t('access.createLink')}>
      <TextInput
        label={t('access.title')}
        name="title"
        hint={t('link.titleHint')}
        defaultValue={subject.title.slice(0, 200)}
        isRequired
      />
      <VariantChoice variants={variants} />
      <LinkLimits />
    </EditForm>
  )
}
