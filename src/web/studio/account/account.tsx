import { t } from '../../strings.ts'
import { useChange, useData } from '../api.ts'
import { readText } from '../form-values.ts'
import { AccountDocument, type AccountQuery, UpdateAccountDocument } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Section } from '../ui/section.tsx'
import { ChangePassword } from './change-password.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

/** The account of the signed-in administrator, of any role. */
export default function Account() {
  const answer = useData(AccountDocument, {})
  return (
    <>
      <PageHeading text={t('account.title')} />
      <Answered of={answer}>
        {({ account: { administrator, sessions, recoveryCodesLeft, passkeys } }) => (
          <div className="sections">
            <Person of={administrator} />
            <ChangePassword />
            <SecondFactor isEnabled={administrator.hasSecondFactor} recoveryCodesLeft={recoveryCodesLeft} />
            <Passkeys of={passkeys} person={administrator} />
            <Sessions of={sessions} />
          </div>
        )}
      </Answered>
    </>
  )
}

function Person({ of: { email, name, role } }: { of: AccountQuery['account']['administrator'] }) {
  const update = useChange(UpdateAccountDocument)
  const save = (fields: FormData) =>
    update.mutate({ name: readText(fields, 'name') }, { onSuccess: () => say(t('studio.saved')) })
  return (
    <Section title={t('account.person')}>
      <dl className="facts">
        <div>
          <dt>{t('session.email')}</dt>
          <dd>{email}</dd>
        </div>
        <div>
          <dt>{t('administrator.role')}</dt>
          <dd>{t(`administrator.role${role}`)}</dd>
        </div>
      </dl>
      <EditForm onSubmit={save} isBusy={update.isPending} error={update.error}>
        <TextInput
          label={t('account.name')}
          name="name"
          hint={t('account.nameHint')}
          autoComplete="name"
          defaultValue={name ?? ''}
        />
      </EditForm>
    </Section>
  )
}
