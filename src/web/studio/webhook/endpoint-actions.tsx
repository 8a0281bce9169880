import { useState } from 'react'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { SendTestWebhookDocument, UpdateWebhookEndpointDocument } from '../generated/operations.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { say } from '../ui/notice.tsx'
import { DeleteEndpoint } from './delete-endpoint.tsx'
import { EditEndpoint } from './endpoint-form.tsx'
import type { Endpoint } from './endpoint-state.tsx'
import { RedeliverFailed } from './redeliver-failed.tsx'
import { RotateSecret } from './rotate-secret.tsx'

const dialogs = { edit: EditEndpoint, rotate: RotateSecret, redeliver: RedeliverFailed, delete: DeleteEndpoint }

/** Everything that owners and admins may do with an endpoint. */
export function EndpointActions({ of: endpoint }: { of: Endpoint }) {
  const [open, setOpen] = useState<keyof typeof dialogs | null>(null)
  const update = useChange(UpdateWebhookEndpointDocument)
  const test = useChange(SendTestWebhookDocument)
  const OpenDialog = open && dialogs[open]
  const { id, isEnabled } = endpoint
  const error = update.error ?? test.error
  return (
    <>
      <div className="actions">
        <Button
          isPending={test.isPending}
          onPress={() => test.mutate({ endpointId: id }, { onSuccess: () => say(t('webhook.testSent')) })}
        >
          {t('webhook.sendTest')}
        </Button>
        <Button onPress={() => setOpen('edit')}>{t('studio.edit')}</Button>
        <Button isPending={update.isPending} onPress={() => update.mutate({ id, input: { isEnabled: !isEnabled } })}>
          {t(isEnabled ? 'webhook.disable' : 'webhook.enable')}
        </Button>
        <Button onPress={() => setOpen('rotate')}>{t('webhook.rotate')}</Button>
        <Button onPress={() => setOpen('redeliver')}>{t('webhook.redeliverFailed')}</Button>
        <Button kind="danger" onPress={() => setOpen('delete')}>
          {t('studio.delete')}
        </Button>
      </div>
      <Refusal error={error} />
      {OpenDialog && <OpenDialog of={endpoint} onClose={() => setOpen(null)} />}
    </>
  )
}
