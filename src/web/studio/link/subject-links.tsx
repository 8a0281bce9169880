import { type ReactNode, useState } from 'react'
import { formatNumber, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { CollectionLinksDocument, type LinkRowFragment as Link, TrackLinksDocument } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { LinkDialogs } from './link-dialogs.tsx'
import { type LinkAction, LinkRow } from './link-row.tsx'
import { ofCollection, ofTrack, type Shareable, type SharedSubject } from './subject.ts'
import { usePlays } from './use-plays.ts'

interface WithLinksProps {
  of: Shareable
  children: (shared: SharedSubject) => ReactNode
}

/** Reads a track or collection with its links. */
export const WithLinks = ({ of: subject, children }: WithLinksProps) =>
  subject.trackId === undefined ? (
    <OfCollection id={subject.collectionId}>{children}</OfCollection>
  ) : (
    <OfTrack id={subject.trackId}>{children}</OfTrack>
  )

interface SubjectProps extends Pick<WithLinksProps, 'children'> {
  id: string
}

function OfCollection({ id, children }: SubjectProps) {
  return (
    <Answered of={useData(CollectionLinksDocument, { id })}>{(data) => render(ofCollection(data), children)}</Answered>
  )
}

function OfTrack({ id, children }: SubjectProps) {
  return <Answered of={useData(TrackLinksDocument, { id })}>{(data) => render(ofTrack(data), children)}</Answered>
}

const render = (shared: SharedSubject | null, children: WithLinksProps['children']) => shared && children(shared)

/** The links of a track or collection on its page. Nothing without one. */
export const SubjectLinks = (subject: Shareable) => (
  <WithLinks of={subject}>
    {({ links, linkCount }) => linkCount > 0 && <Section links={links} count={linkCount} />}
  </WithLinks>
)

function Section({ links, count }: { links: readonly Link[]; count: number }) {
  const [isOpen, setOpen] = useState(false)
  const [action, setAction] = useState<LinkAction | null>(null)
  return (
    <details className="links" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('link.count', { count: formatNumber(count) })}</summary>
      {isOpen && <Rows links={links} onAction={setAction} />}
      <LinkDialogs action={action} onClose={() => setAction(null)} />
    </details>
  )
}

function Rows({ links, onAction }: { links: readonly Link[]; onAction: (action: LinkAction) => void }) {
  const plays = usePlays()
  return (
    <ul aria-label={t('studio.links')}>
      {links.map((link) => (
        <li key={link.id} className="row">
          <LinkRow of={link} plays={plays} onAct={(kind) => onAction({ kind, link })} />
        </li>
      ))}
    </ul>
  )
}
