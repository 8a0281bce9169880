import { Play } from 'lucide'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { Icon } from '../../design/icon.tsx'
import { formatClock, t } from '../../strings.ts'
import { useData } from '../api.ts'
import { SaidDocument, type SaidQuery } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Cover } from '../ui/cover.tsx'
import { toPlayed } from './play-list.tsx'
import { usePlayback } from './playback-context.tsx'

type Track = SaidQuery['tracks']['edges'][number]['node']
type Hit = Track['transcriptHits'][number]

/** Tracks in which the words of a search are said, and the passages with them, which play from their start. */
export function Said({ search }: { search: string }) {
  return (
    <section>
      <h2>{t('library.said')}</h2>
      <Answered of={useData(SaidDocument, { search })}>
        {({ tracks: { edges } }) =>
          edges.length === 0 ? (
            <p className="quiet">{t('library.noMatch')}</p>
          ) : (
            <ul className="said" aria-label={t('library.said')}>
              {edges.map(({ node }) => (
                <SaidTrack key={node.id} track={node} />
              ))}
            </ul>
          )
        }
      </Answered>
    </section>
  )
}

function SaidTrack({ track }: { track: Track }) {
  const { id, title, collection, coverImage, transcriptHits } = track
  return (
    <li>
      <Cover url={coverImage?.small.url} title={title} />
      <div>
        <strong>
          <Link href={`/track/${id}`}>{title}</Link>
        </strong>
        {collection && <span className="quiet">{collection.title}</span>}
        <ul aria-label={t('library.saidIn', { title })}>
          {transcriptHits.map((hit, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a passage is a place in the answer
            <li key={at}>
              <Passage track={track} hit={hit} />
            </li>
          ))}
        </ul>
      </div>
    </li>
  )
}

function Passage({ track, hit: { startSeconds, language, speaker, parts } }: { track: Track; hit: Hit }) {
  const playback = usePlayback()
  return (
    <>
      {startSeconds !== null && track.duration !== null && (
        <Button
          kind="bare"
          aria-label={t('library.playFrom', { title: track.title, at: formatClock(startSeconds) })}
          onPress={() => playback.playFrom(toPlayed(track), startSeconds)}
        >
          <Icon of={Play} />
          {formatClock(startSeconds)}
        </Button>
      )}
      <q lang={language ?? undefined}>
        {speaker && `${speaker}: `}
        <Parts parts={parts} />
      </q>
    </>
  )
}

/** The text, with the words of the search marked. */
const Parts = ({ parts }: Pick<Hit, 'parts'>) =>
  parts.map(({ text, isMatch }, at) => {
    const Part = isMatch ? 'mark' : Fragment
    // biome-ignore lint/suspicious/noArrayIndexKey: a part is a place in its passage
    return <Part key={at}>{text}</Part>
  })
