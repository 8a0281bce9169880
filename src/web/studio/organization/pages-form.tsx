import { t } from '../../strings.ts'
import type { SettingsFragment } from '../generated/operations.ts'
import { EditForm } from '../ui/dialog.tsx'
import { Check } from '../ui/field.tsx'
import { Section } from '../ui/section.tsx'
import { useSave } from './use-save.ts'

/** Whether search engines may list the pages of share links. */
export function PagesForm({ of: { id, isIndexable } }: { of: SettingsFragment }) {
  const { save, ...state } = useSave(id)
  return (
    <Section title={t('organization.pages')} lead={t('organization.pagesLead')}>
      <EditForm onSubmit={(fields) => save({ isIndexable: fields.has('isIndexable') })} {...state}>
        <Check name="isIndexable" defaultSelected={isIndexable}>
          {t('organization.isIndexable')}
        </Check>
      </EditForm>
    </Section>
  )
}
