import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { useFilters } from '../filters.ts'
import { FoundDocument } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { Cover } from '../ui/cover.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Status } from '../ui/track-status.tsx'
import { Said } from './said.tsx'

/** Results of the search in the header: collections, tracks, and what is said in them. */
export default function FoundPage() {
  const search = useFilters().get('search')
  return (
    <>
      <PageHeading text={t('library.found', { text: search })} />
      {search ? (
        <>
          <Results search={search} />
          <Said search={search} />
        </>
      ) : (
        <p>{t('library.noMatch')}</p>
      )}
    </>
  )
}

function Results({ search }: { search: string }) {
  const query = new URLSearchParams({ search })
  return (
    <Answered of={useData(FoundDocument, { search })}>
      {({ collections, tracks }) => (
        <>
          <Group
            title={t('studio.collections')}
            all={collections.pageInfo.hasNextPage ? `/collections?${query}` : null}
          >
            {collections.edges.map(({ node: { id, title, coverImage } }) => (
              <li key={id}>
                <Cover url={coverImage?.small.url} title={title} />
                <strong>
                  <Link href={`/collection/${id}`}>{title}</Link>
                </strong>
              </li>
            ))}
          </Group>
          <Group title={t('studio.tracks')} all={tracks.pageInfo.hasNextPage ? `/tracks?${query}` : null}>
            {tracks.edges.map(({ node: track }) => (
              <li key={track.id}>
                <Cover url={track.coverImage?.small.url} title={track.title} />
                <strong>
                  <Link href={`/track/${track.id}`}>{track.title}</Link>
                </strong>
                <span className="quiet">{[track.artist, track.collection?.title].filter(Boolean).join(' · ')}</span>
                <Status {...track} />
              </li>
            ))}
          </Group>
        </>
      )}
    </Answered>
  )
}

interface GroupProps {
  title: string
  /** Address of the whole list. Null when all results are shown. */
  all: string | null
  children: ReactNode[]
}

function Group({ title, all, children }: GroupProps) {
  return (
    <section>
      <h2>{title}</h2>
      {children.length === 0 && <p className="quiet">{t('library.noMatch')}</p>}
      <ul className="entries" aria-label={title}>
        {children}
      </ul>
      {all && (
        <p>
          <Link href={all}>{t('library.allResults')}</Link>
        </p>
      )}
    </section>
  )
}
