import { formatNumber, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { timeOrNull } from '../form-values.ts'
import { RedeliverFailedWebhooksDocument } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import type { Endpoint } from './endpoint-state.tsx'

/** Plans the deliveries of all events that the endpoint has not received since a time. */
export function RedeliverFailed({ of: { id }, onClose }: { of: Endpoint; onClose: () => void }) {
  const redeliver = useChange(RedeliverFailedWebhooksDocument)
  const send = (fields: FormData) => {
    const since = timeOrNull(fields, 'since')
    if (!since) return
    redeliver.mutate(
      { endpointId: id, since },
      {
        onSuccess: ({ redeliverFailedWebhooks: { count } }) => {
          onClose()
          say(t('webhook.planned', { count: formatNumber(count) }))
        },
      },
    )
  }
  return (
    <Dialog title={t('webhook.redeliverFailed')} isOpen onClose={onClose}>
      <EditForm
        onSubmit={send}
        onCancel={onClose}
        isBusy={redeliver.isPending}
        error={redeliver.error}
        label={t('webhook.redeliver')}
      >
        <p>{t('webhook.redeliverText')}</p>
        <TextInput label={t('webhook.since')} name="since" type="datetime-local" isRequired />
      </EditForm>
    </Dialog>
  )
}
