import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { OrganizationSettingsDocument } from '../generated/operations.ts'
import { useLastSession } from '../last-session.ts'
import { useCanWrite } from '../role.ts'
import { Answered } from '../ui/answer.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { CoverSection } from './cover-section.tsx'
import { DomainForm } from './domain-form.tsx'
import { Facts } from './facts.tsx'
import { NameForm } from './name-form.tsx'
import { PagesForm } from './pages-form.tsx'
import { PlayerForm } from './player-form.tsx'
import { SigningSecrets } from './signing-secrets.tsx'
import { SpeechForm } from './speech-form.tsx'

/** Settings of the organization. Viewers read them. */
export default function Organization() {
  const session = useLastSession()
  const canWrite = useCanWrite()
  const answer = useData(OrganizationSettingsDocument, { id: session?.organizationId ?? '' })
  return (
    <>
      <PageHeading text={t('studio.organization')} />
      <Answered of={answer}>
        {({ organization }) =>
          organization && (
            <div className="sections">
              {canWrite ? (
                <>
                  <NameForm of={organization} />
                  <PlayerForm of={organization} />
                  <CoverSection of={organization} />
                  <PagesForm of={organization} />
                  <SpeechForm of={organization} />
                  <DomainForm of={organization} />
                </>
              ) : (
                <Facts of={organization} />
              )}
              <SigningSecrets of={organization} />
            </div>
          )
        }
      </Answered>
    </>
  )
}
