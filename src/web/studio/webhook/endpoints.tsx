import { useState } from 'react'
import { useLocation } from 'wouter'
import { t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { WebhookEndpointsDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { CreateEndpoint } from './endpoint-form.tsx'
import { EndpointState } from './endpoint-state.tsx'
import { nameOf } from './event-types.ts'

/** All endpoints of the organization. */
export function Endpoints() {
  const [, navigate] = useLocation()
  const canWrite = useCanWrite()
  const [isCreating, setCreating] = useState(false)
  const pages = usePages(WebhookEndpointsDocument, {}, (data) => data.webhookEndpoints)
  return (
    <>
      <PageHeading text={t('studio.webhooks')} />
      <p className="lead">{t('webhook.lead')}</p>
      {canWrite && (
        <div className="toolbar">
          <Button kind="primary" onPress={() => setCreating(true)}>
            {t('webhook.create')}
          </Button>
        </div>
      )}
      <PagedList
        label={t('webhook.endpoints')}
        pages={pages}
        textOf={({ url }) => url}
        empty={<EmptyState text={t('webhook.noEndpoints')} />}
        onOpen={(id) => navigate(`/${id}`)}
      >
        {(endpoint) => (
          <>
            <span className="lines">
              <strong>{endpoint.url}</strong>
              <span className="detail">{endpoint.eventTypes.map(nameOf).join(', ') || t('webhook.allTypes')}</span>
            </span>
            <EndpointState of={endpoint} />
          </>
        )}
      </PagedList>
      {isCreating && <CreateEndpoint onClose={() => setCreating(false)} />}
    </>
  )
}
