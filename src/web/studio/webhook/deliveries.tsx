import { useState } from 'react'
import { formatDate, t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { WebhookDeliveriesDocument, type WebhookDeliveryState } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/field.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { DeliveryState } from './delivery-state.tsx'
import { nameOf } from './event-types.ts'

const STATES: WebhookDeliveryState[] = ['FAILED', 'PENDING', 'DELIVERED']

/** The deliveries to an endpoint, newest first. */
export function Deliveries({ endpointId }: { endpointId: string }) {
  const [state, setState] = useState<WebhookDeliveryState>()
  const [openId, setOpenId] = useState<string | null>(null)
  const pages = usePages(WebhookDeliveriesDocument, { filter: { endpointId, state } }, (data) => data.webhookDeliveries)
  return (
    <>
      <h2>{t('webhook.deliveries')}</h2>
      <div className="toolbar">
        <Choice
          label={t('webhook.state')}
          name="state"
          defaultValue=""
          choices={[
            { id: '', text: t('webhook.allStates') },
            ...STATES.map((id) => ({ id, text: t(`webhook.state${id}`) })),
          ]}
          onChange={(chosen) => setState(STATES.find((id) => id === chosen))}
        />
        <Button onPress={() => void pages.refetch()}>{t('webhook.refresh')}</Button>
      </div>
      <PagedList
        label={t('webhook.deliveries')}
        pages={pages}
        textOf={({ event }) => nameOf(event.type)}
        empty={t('webhook.noDeliveries')}
        onOpen={setOpenId}
      >
        {(delivery) => (
          <>
            <span className="lines">
              <strong>{nameOf(delivery.event.type)}</strong>
              <span className="detail">
                {formatDate(delivery.createdAt)} · {t('webhook.attemptCount', { count: delivery.attemptCount })}
                {delivery.nextAttemptAt && ` · ${t('webhook.next', { at: formatDate(delivery.nextAttemptAt) })}`}
              </span>
            </span>
            <DeliveryState of={delivery.state} />
          </>
        )}
      </PagedList>
      {openId && <DeliveryDialog id={openId} onClose={() => setOpenId(null)} />}
    </>
  )
}
