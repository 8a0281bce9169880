import { t } from '../../strings.ts'
import { useLastSession } from '../last-session.ts'
import { Cover } from '../ui/cover.tsx'
import type { SharedSubject } from './subject.ts'

/** The card that a chat makes of a link: cover, title and site. */
export function LinkPreview({ of: { subject, subtitle, coverUrl } }: { of: SharedSubject }) {
  const session = useLastSession()
  return (
    <figure className="link-preview">
      <figcaption>{t('link.preview')}</figcaption>
      <div className="link-card">
        <Cover url={coverUrl} title={subject.title} />
        <span className="lines">
          <small>{session?.organizationName ?? location.host}</small>
          <strong>{subject.title}</strong>
          {subtitle && <span>{subtitle}</span>}
        </span>
      </div>
    </figure>
  )
}
