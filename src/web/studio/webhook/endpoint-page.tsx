import { Link } from 'wouter'
import { formatDate, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { WebhookEndpointDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Answered } from '../ui/answer.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { type Endpoint, EndpointState } from './endpoint-state.tsx'
import { nameOf } from './event-types.ts'

/** One endpoint and the deliveries to it. */
export function EndpointPage({ id }: { id: string }) {
  const answer = useData(WebhookEndpointDocument, { id })
  const canWrite = useCanWrite()
  return (
    <>
      <Link href="/">{t('webhook.endpoints')}</Link>
      <Answered of={answer}>
        {({ webhookEndpoint: endpoint }) =>
          endpoint && (
            <>
              <PageHeading text={endpoint.url} />
              <Facts of={endpoint} />
              {canWrite && <EndpointActions of={endpoint} />}
              <Deliveries endpointId={id} />
            </>
          )
        }
      </Answered>
    </>
  )
}

function Facts({ of: endpoint }: { of: Endpoint }) {
  const { eventTypes, disabledAt, disabledReason, failingSince, oldSecretExpiresAt } = endpoint
  const reason = disabledReason === 'gone' || disabledReason === 'failing' ? disabledReason : 'administrator'
  return (
    <>
      <p className="state-line">
        <EndpointState of={endpoint} /> {eventTypes.map(nameOf).join(', ') || t('webhook.allTypes')}
      </p>
      {disabledAt && <p className="problem">{t(`webhook.disabled_${reason}`, { at: formatDate(disabledAt) })}</p>}
      {failingSince && <p className="problem">{t('webhook.failingSince', { at: formatDate(failingSince) })}</p>}
      {oldSecretExpiresAt && <p className="quiet">{t('webhook.oldSecret', { at: formatDate(oldSecretExpiresAt) })}</p>}
    </>
  )
}
