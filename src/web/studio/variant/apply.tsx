import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { textOrNull } from '../form-values.ts'
import { ApplyVariantDocument, type VariantRowFragment } from '../generated/operations.ts'
import { CollectionChoice } from '../ui/collection-choice.tsx'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Check } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'

/** Makes the file of a variant for existing tracks: of all, or of a collection. */
export function ApplyVariant({ of: { id, index }, onClose }: { of: VariantRowFragment; onClose: () => void }) {
  const apply = useChange(ApplyVariantDocument)
  const start = (fields: FormData) =>
    apply.mutate(
      {
        id,
        filter: {
          collectionId: textOrNull(fields, 'collectionId'),
          isOnlyMissing: fields.get('isOnlyMissing') === 'on',
        },
      },
      {
        onSuccess: () => {
          onClose()
          say(t('variant.applied', { index }))
        },
      },
    )
  return (
    <Dialog title={t('variant.applyTitle', { index })} isOpen onClose={onClose}>
      <p className="quiet">{t('variant.applyHint')}</p>
      <EditForm
        onSubmit={start}
        onCancel={onClose}
        isBusy={apply.isPending}
        error={apply.error}
        label={t('variant.apply')}
      >
        <CollectionChoice label={t('variant.collection')} hint={t('variant.collectionHint')} />
        <Check name="isOnlyMissing">{t('variant.isOnlyMissing')}</Check>
      </EditForm>
    </Dialog>
  )
}
