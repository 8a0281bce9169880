import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { RotateWebhookSecretDocument } from '../generated/operations.ts'
import { Confirm } from '../ui/dialog.tsx'
import { WebhookSecret } from './endpoint-form.tsx'
import type { Endpoint } from './endpoint-state.tsx'

/** Asks first: the receiver must get the new secret within a day. */
export function RotateSecret({ of: { id }, onClose }: { of: Endpoint; onClose: () => void }) {
  const rotate = useChange(RotateWebhookSecretDocument)
  if (rotate.data) return <WebhookSecret secret={rotate.data.rotateWebhookSecret.secret} onClose={onClose} />
  return (
    <Confirm
      title={t('webhook.rotateTitle')}
      text={t('webhook.rotateText')}
      label={t('webhook.rotate')}
      isOpen
      isBusy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate({ id })}
      onClose={onClose}
    />
  )
}
