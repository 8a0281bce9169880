import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readText, readTexts } from '../form-values.ts'
import { CreateWebhookEndpointDocument, UpdateWebhookEndpointDocument } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Checks, TextInput } from '../ui/field.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { useEdit } from '../use-edit.ts'
import type { Endpoint } from './endpoint-state.tsx'
import { eventTypes, isEventType } from './event-types.ts'

const readInput = (fields: FormData) => ({
  url: readText(fields, 'url'),
  eventTypes: readTexts(fields, 'eventTypes').filter(isEventType),
})

const Fields = ({ of: endpoint }: { of?: Endpoint }) => (
  <>
    <TextInput
      label={t('webhook.url')}
      name="url"
      hint={t('webhook.urlHint')}
      defaultValue={endpoint?.url}
      isRequired
    />
    <Checks
      label={t('webhook.eventTypes')}
      name="eventTypes"
      hint={t('webhook.eventTypesHint')}
      choices={eventTypes()}
      defaultValue={endpoint?.eventTypes}
    />
  </>
)

/** Creates an endpoint, then shows its secret once. */
export function CreateEndpoint({ onClose }: { onClose: () => void }) {
  const create = useChange(CreateWebhookEndpointDocument)
  if (create.data) {
    return <WebhookSecret secret={create.data.createWebhookEndpoint.secret} onClose={onClose} />
  }
  return (
    <Dialog title={t('webhook.create')} isOpen onClose={onClose}>
      <EditForm
        onSubmit={(fields) => create.mutate({ input: readInput(fields) })}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
        label={t('webhook.create')}
      >
        <Fields />
      </EditForm>
    </Dialog>
  )
}

export function EditEndpoint({ of: endpoint, onClose }: { of: Endpoint; onClose: () => void }) {
  const edit = useEdit(UpdateWebhookEndpointDocument, endpoint.id, onClose)
  return (
    <Dialog title={t('webhook.edit')} isOpen onClose={onClose}>
      <EditForm
        onSubmit={(fields) => edit.save(readInput(fields))}
        onCancel={onClose}
        isBusy={edit.isBusy}
        error={edit.error}
      >
        <Fields of={endpoint} />
      </EditForm>
    </Dialog>
  )
}

export const WebhookSecret = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <SecretDialog
    title={t('webhook.secretTitle')}
    label={t('webhook.secret')}
    secret={secret}
    hint={t('webhook.secretHint')}
    onClose={onClose}
  />
)
