import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readText } from '../form-values.ts'
import { type SettingsFragment, UpdateOrganizationDomainDocument } from '../generated/operations.ts'
import { EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'

export function DomainForm({ of: { id, domain } }: { of: SettingsFragment }) {
  const update = useChange(UpdateOrganizationDomainDocument)
  const save = (fields: FormData) =>
    update.mutate({ id, domain: readText(fields, 'domain') }, { onSuccess: () => say(t('studio.saved')) })
  return (
    <Section title={t('organization.domain')} lead={t('organization.domainLead')}>
      <EditForm onSubmit={save} isBusy={update.isPending} error={update.error}>
        <TextInput
          label={t('organization.host')}
          name="domain"
          hint={t('organization.hostHint')}
          defaultValue={domain}
          isRequired
        />
      </EditForm>
    </Section>
  )
}
