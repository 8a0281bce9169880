import { t } from '../../strings.ts'
import { readText } from '../form-values.ts'
import type { SettingsFragment } from '../generated/operations.ts'
import { EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { Section } from '../ui/section.tsx'
import { useSave } from './use-save.ts'

export function NameForm({ of: { id, name } }: { of: SettingsFragment }) {
  const { save, ...state } = useSave(id)
  return (
    <Section title={t('organization.general')}>
      <EditForm onSubmit={(fields) => save({ name: readText(fields, 'name') })} {...state}>
        <TextInput label={t('organization.name')} name="name" hint={t('organization.nameHint')} defaultValue={name} />
      </EditForm>
    </Section>
  )
}
