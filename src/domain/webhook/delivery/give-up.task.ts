import { task } from '../../../platform/jobs/task.ts'
import { clearSome, clearWebhookEndpoint } from './give-up.ts'

/** A task that dies is continued after its last chunk. */
export const clearWebhookEndpointTask = task(clearWebhookEndpoint, async (services, { endpointId }, { signal }) => {
  while (await clearSome(services, endpointId)) signal.throwIfAborted()
})
