import { formatDate, formatNumber, t } from '../../strings.ts'
import { useChange, useData } from '../api.ts'
import {
  RedeliverWebhookDocument,
  WebhookDeliveryDocument,
  type WebhookDeliveryQuery,
} from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Answered, Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { DeliveryState } from './delivery-state.tsx'
import { nameOf } from './event-types.ts'

type Delivery = NonNullable<WebhookDeliveryQuery['webhookDelivery']>

/** One delivery: its attempts, the body, and the button that sends it again. */
export function DeliveryDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const answer = useData(WebhookDeliveryDocument, { id })
  return (
    <Dialog title={t('webhook.delivery')} isOpen onClose={onClose}>
      <Answered of={answer}>{({ webhookDelivery }) => webhookDelivery && <Detail of={webhookDelivery} />}</Answered>
      <div className="actions">
        <Redeliver id={id} />
        <Button onPress={() => void answer.refetch()}>{t('webhook.refresh')}</Button>
        <Button onPress={onClose}>{t('studio.close')}</Button>
      </div>
    </Dialog>
  )
}

const Detail = ({ of: { event, state, attempts } }: { of: Delivery }) => (
  <>
    <p className="state-line">
      <DeliveryState of={state} /> {nameOf(event.type)}
    </p>
    <p className="quiet">
      webhook-id: <code>{event.id}</code>
    </p>
    {attempts.length === 0 && <p>{t('webhook.noAttempts')}</p>}
    <ol className="attempts">
      {attempts.map((attempt) => (
        <li key={attempt.number}>
          <p>
            <strong>{attempt.status === null ? t('webhook.noAnswer') : `HTTP ${attempt.status}`}</strong>{' '}
            <span className="quiet">
              {formatDate(attempt.createdAt)} · {formatNumber(attempt.durationMs)} ms
            </span>
          </p>
          {attempt.answer && <pre>{attempt.answer}</pre>}
        </li>
      ))}
    </ol>
    <details>
      <summary>{t('webhook.body')}</summary>
      <pre>{JSON.stringify(JSON.parse(event.body), null, 2)}</pre>
    </details>
  </>
)

function Redeliver({ id }: { id: string }) {
  const redeliver = useChange(RedeliverWebhookDocument)
  if (!useCanWrite()) return null
  return (
    <>
      <Refusal error={redeliver.error} />
      <Button kind="primary" isPending={redeliver.isPending} onPress={() => redeliver.mutate({ deliveryId: id })}>
        {t('webhook.redeliver')}
      </Button>
    </>
  )
}
