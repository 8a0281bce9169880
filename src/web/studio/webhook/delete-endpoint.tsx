import { useLocation } from 'wouter'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { DeleteWebhookEndpointDocument } from '../generated/operations.ts'
import { Confirm } from '../ui/dialog.tsx'
import type { Endpoint } from './endpoint-state.tsx'

export function DeleteEndpoint({ of: { id, url }, onClose }: { of: Endpoint; onClose: () => void }) {
  const [, navigate] = useLocation()
  const remove = useChange(DeleteWebhookEndpointDocument)
  return (
    <Confirm
      title={t('webhook.deleteTitle')}
      text={t('webhook.deleteText', { url })}
      label={t('studio.delete')}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ id }, { onSuccess: () => navigate('/') })}
      onClose={onClose}
    />
  )
}
