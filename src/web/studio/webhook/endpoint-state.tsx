import { t } from '../../strings.ts'
import type { EndpointFragment as Endpoint } from '../generated/operations.ts'

export type { Endpoint }

/** Whether events are sent to the endpoint, and whether they arrive. */
export function EndpointState({ of: { isEnabled, failingSince } }: { of: Endpoint }) {
  if (!isEnabled) return <span className="badge wrong">{t('webhook.disabled')}</span>
  if (failingSince) return <span className="badge wrong">{t('webhook.failing')}</span>
  return <span className="badge">{t('webhook.enabled')}</span>
}
