import { Link } from 'wouter'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import {
  UsageCollectionDocument,
  UsageCreatorDocument,
  UsageKeyDocument,
  UsageTrackDocument,
  UsageVariantDocument,
} from '../generated/operations.ts'
import { Cover } from '../ui/cover.tsx'
import type { Grouping } from './grouping.ts'

/** Name of a record that was played. It may have been deleted since. */
export function Name({ grouping, id }: { grouping: Grouping; id: string }) {
  const Named = names[grouping]
  return <Named id={id} />
}

interface Props {
  id: string
}

interface Answer {
  isPending: boolean
  error: Error | null
}

/** The name, or that the record is gone. @param text undefined until it is read */
const renderName = ({ isPending }: Answer, text: string | null | undefined, id: string) => {
  if (text) return text
  return isPending ? '…' : <span className="quiet">{t('usage.gone', { id: id.slice(-8) })}</span>
}

function Track({ id }: Props) {
  const answer = useData(UsageTrackDocument, { id })
  const track = answer.data?.track
  if (!track) return renderName(answer, null, id)
  return <Music href={`/track/${id}`} subtitle={track.artist} {...track} />
}

function Collection({ id }: Props) {
  const answer = useData(UsageCollectionDocument, { id })
  const collection = answer.data?.collection
  if (!collection) return renderName(answer, null, id)
  return <Music href={`/collection/${id}`} subtitle={collection.playerSubtitle} {...collection} />
}

interface MusicProps {
  href: string
  title: string
  subtitle: string | null
  effectivePlayerColor: string
  coverImage: { small: { url: string } } | null
}

const Music = ({ href, title, subtitle, effectivePlayerColor, coverImage }: MusicProps) => (
  <span className="music">
    <Cover url={coverImage?.small.url} title={title} color={effectivePlayerColor} />
    <span>
      <Link href={href}>{title}</Link>
      {subtitle && <small>{subtitle}</small>}
    </span>
  </span>
)

function Creator({ id }: Props) {
  const answer = useData(UsageCreatorDocument, { id })
  const name = answer.data?.creator?.organizationIndex
  return name ? <Link href={`/creator/${id}`}>{name}</Link> : renderName(answer, null, id)
}

function Variant({ id }: Props) {
  const answer = useData(UsageVariantDocument, { id })
  return renderName(answer, answer.data?.variant?.index, id)
}

function Key({ id }: Props) {
  const answer = useData(UsageKeyDocument, { id })
  return renderName(answer, answer.data?.key?.title, id)
}

const names = { track: Track, collection: Collection, creator: Creator, variant: Variant, key: Key }
