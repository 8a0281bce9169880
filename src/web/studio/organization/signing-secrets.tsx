import { formatDate, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { AddSigningSecretDocument, type SettingsFragment } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { Section } from '../ui/section.tsx'
import { SecretActions } from './secret-actions.tsx'

/** The secrets of delivery addresses. An organization has at most five. */
export function SigningSecrets({ of: { id, signingSecrets } }: { of: SettingsFragment }) {
  const canWrite = useCanWrite()
  const add = useChange(AddSigningSecretDocument)
  return (
    <Section title={t('organization.secrets')} lead={t('organization.secretsLead')}>
      <ul className="setting-list">
        {signingSecrets.map((secret) => (
          <li key={secret.id}>
            <code>{secret.id}</code>
            {secret.isSigning && <span className="badge">{t('organization.signs')}</span>}
            <span className="quiet">
              {t('organization.added', { at: formatDate(secret.createdAt) })}
              {secret.signedUntil && ` · ${t('organization.signedUntil', { at: formatDate(secret.signedUntil) })}`}
            </span>
            {canWrite && !secret.isSigning && <SecretActions organizationId={id} id={secret.id} />}
          </li>
        ))}
      </ul>
      <Refusal error={add.error} />
      {canWrite && (
        <Button isPending={add.isPending} onPress={() => add.mutate({ organizationId: id })}>
          {t('organization.addSecret')}
        </Button>
      )}
      {add.data && (
        <SecretDialog
          title={t('organization.newSecret')}
          label={t('organization.secret')}
          secret={add.data.addSigningSecret.secret}
          hint={t('organization.secretHint')}
          onClose={add.reset}
        />
      )}
    </Section>
  )
}
