import { formatNumber, t } from '../../strings.ts'
import type { SettingsFragment } from '../generated/operations.ts'
import { EditForm } from '../ui/dialog.tsx'
import { Check } from '../ui/field.tsx'
import { Section } from '../ui/section.tsx'
import { useSave } from './use-save.ts'

const formatHours = (seconds: number) => formatNumber(seconds / 3600, { maximumFractionDigits: 1 })

/** Whether new recordings are transcribed. Nothing on a service without speech recognition. */
export function SpeechForm({ of: { id, transcribesUploads, transcriptionQuota: quota } }: { of: SettingsFragment }) {
  const { save, ...state } = useSave(id)
  if (!quota) return null
  const hours = { used: formatHours(quota.usedSeconds), max: formatHours(quota.maxSeconds) }
  return (
    <Section title={t('organization.speech')} lead={t('organization.speechLead', hours)}>
      <EditForm onSubmit={(fields) => save({ transcribesUploads: fields.has('transcribesUploads') })} {...state}>
        <Check name="transcribesUploads" defaultSelected={transcribesUploads}>
          {t('organization.transcribesUploads')}
        </Check>
      </EditForm>
    </Section>
  )
}
