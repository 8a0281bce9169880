import { t } from '../../strings.ts'
import type { WebhookDeliveryState } from '../generated/operations.ts'

export const DeliveryState = ({ of: state }: { of: WebhookDeliveryState }) => (
  <span className={state === 'FAILED' ? 'badge wrong' : 'badge'}>{t(`webhook.state${state}`)}</span>
)
