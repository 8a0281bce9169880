import { useState } from 'react'
import { t } from '../../strings.ts'
import { useLastSession } from '../last-session.ts'
import type { SharedSubject } from './subject.ts'

interface Props {
  of: SharedSubject
  /** The link, whose picture the service draws without a cover. Null before it is made. */
  link: string | null
}

/** The card that a chat makes of a link: picture, title and site. */
export function LinkPreview({ of: { subject, subtitle, coverUrl }, link }: Props) {
  const session = useLastSession()
  const picture = coverUrl ?? (link === null ? null : `${link}/cover-regular.jpg`)
  return (
    <figure className="link-preview">
      <figcaption>{t('link.preview')}</figcaption>
      <div className="link-card">
        {picture !== null && <Picture key={picture} url={picture} />}
        <span className="lines">
          <small>{session?.organizationName ?? location.host}</small>
          <strong>{subject.title}</strong>
          {subtitle && <span>{subtitle}</span>}
        </span>
      </div>
    </figure>
  )
}

/** Nothing for a link that plays nothing yet. */
function Picture({ url }: { url: string }) {
  const [hasFailed, setFailed] = useState(false)
  return hasFailed ? null : <img className="cover" alt="" src={url} onError={() => setFailed(true)} />
}
