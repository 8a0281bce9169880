import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { createPasskey, hasPasskeys } from '../../session/passkey.ts'
import { formatDate, t } from '../../strings.ts'
import { useChange, useRefresh, useRun } from '../api.ts'
import { readSecret, readText, textOrNull } from '../form-values.ts'
import {
  type AccountQuery,
  AddPasskeyDocument,
  type OwnPasskeyFragment,
  PreparePasskeyDocument,
  RemovePasskeyDocument,
} from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { Confirm, Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import { Section } from '../ui/section.tsx'
import { describeBrowser } from './browser-name.ts'
import { CodeField, PasswordField } from './proof-fields.tsx'

interface Props {
  of: readonly OwnPasskeyFragment[]
  person: AccountQuery['account']['administrator']
}

export function Passkeys({ of: passkeys, person }: Props) {
  const [isAdding, setAdding] = useState(false)
  return (
    <Section title={t('account.passkeys')} lead={t('account.passkeysLead')}>
      {passkeys.length > 0 && (
        <ul className="setting-list">
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
              <Row of={passkey} />
            </li>
          ))}
        </ul>
      )}
      {hasPasskeys() ? (
        <Button onPress={() => setAdding(true)}>{t('account.addPasskey')}</Button>
      ) : (
        <p className="quiet">{t('account.noPasskeys')}</p>
      )}
      {isAdding && <AddPasskey person={person} onClose={() => setAdding(false)} />}
    </Section>
  )
}

function Row({ of: { id, title, createdAt, lastUsedAt } }: { of: OwnPasskeyFragment }) {
  const [isConfirming, setConfirming] = useState(false)
  const remove = useChange(RemovePasskeyDocument)
  return (
    <>
      <span className="lines">
        <span>{title}</span>
        <span className="detail">
          {lastUsedAt
            ? t('account.lastUsed', { at: formatDate(lastUsedAt) })
            : t('account.passkeyAdded', { at: formatDate(createdAt) })}
        </span>
      </span>
      <div className="actions">
        <Button onPress={() => setConfirming(true)}>{t('account.removePasskey')}</Button>
      </div>
      <Confirm
        title={t('account.removePasskeyTitle', { title })}
        text={t('account.removePasskeyText')}
        label={t('account.removePasskey')}
        isOpen={isConfirming}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ id }, { onSuccess: () => setConfirming(false) })}
        onClose={() => setConfirming(false)}
      />
    </>
  )
}

/** Checks the password, then lets the browser create the passkey, so that no refusal leaves one in the authenticator. */
function AddPasskey({ person, onClose }: { person: Props['person']; onClose: () => void }) {
  const run = useRun()
  const refresh = useRefresh()
  const add = useMutation({
    mutationFn: async (fields: FormData) => {
      const proof = { password: readSecret(fields, 'password'), code: textOrNull(fields, 'code') }
      const { setup, ...ceremony } = (await run(PreparePasskeyDocument, proof)).preparePasskey
      const credential = await createPasskey(ceremony, { ...person, name: person.name ?? null })
      await run(AddPasskeyDocument, { input: { setup, title: readText(fields, 'title'), ...credential } })
    },
    onSuccess: () => {
      say(t('studio.saved'))
      onClose()
      return refresh()
    },
  })
  return (
    <Dialog title={t('account.addPasskey')} isOpen onClose={onClose}>
      <EditForm
        onSubmit={add.mutate}
        onCancel={onClose}
        isBusy={add.isPending}
        error={add.error}
        label={t('account.continue')}
      >
        <TextInput
          label={t('account.name')}
          name="title"
          hint={t('account.passkeyHint')}
          defaultValue={describeBrowser(navigator.userAgent) ?? ''}
          isRequired
        />
        <PasswordField />
        {person.hasSecondFactor && <CodeField hint={t('session.codeHint')} />}
      </EditForm>
    </Dialog>
  )
}
