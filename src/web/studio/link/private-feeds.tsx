import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { formatDate, formatNumber, t } from '../../strings.ts'
import { RevokeKey } from '../access/revoke-key.tsx'
import { useData, usePages, useRun } from '../api.ts'
import {
  CollectionLinksDocument,
  type LinkRowFragment,
  type LinkVariantFragment,
  PrivateFeedsDocument,
} from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Answered } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { copyToClipboard } from '../ui/copy-field.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { describeLimits } from './link-row.tsx'
import { NewSubscribers } from './new-subscribers.tsx'
import { useRowHeight } from './row-height.ts'
import { formatAddresses } from './share-address.ts'
import { usePlays } from './use-plays.ts'

const list = { path: '/collections', name: 'studio.collections' } as const

/** The subscribers of a collection: each has a feed of their own. */
export default function PrivateFeeds() {
  const { id = '' } = useParams()
  return (
    <Answered of={useData(CollectionLinksDocument, { id })} list={list}>
      {({ collection, variants }) => collection && <Content collection={collection} variants={variants.nodes} />}
    </Answered>
  )
}

interface Props {
  collection: { id: string; title: string }
  variants: readonly LinkVariantFragment[]
}

function Content({ collection, variants }: Props) {
  const { id: collectionId, title } = collection
  const run = useRun()
  const plays = usePlays()
  const canWrite = useCanWrite()
  const [isAdding, setAdding] = useState(false)
  const [revoked, setRevoked] = useState<LinkRowFragment | null>(null)
  const pages = usePages(PrivateFeedsDocument, { collectionId }, (data) => data.keys)
  const findFeed = ({ shareKey }: LinkRowFragment) =>
    shareKey === null
      ? null
      : formatAddresses({ kind: 'collection', id: collectionId, title }, shareKey, location.origin).feed

  /** The names and addresses of all subscribers, in columns. */
  async function readList(): Promise<string> {
    const lines: string[] = []
    let after: string | null = null
    do {
      const { keys }: Awaited<ReturnType<typeof readPage>> = await readPage(after)
      for (const { node } of keys.edges) lines.push(`${node.title.replaceAll(/\s+/g, ' ')}\t${findFeed(node) ?? ''}`)
      after = keys.pageInfo.hasNextPage ? (keys.pageInfo.endCursor ?? null) : null
    } while (after !== null)
    return lines.join('\n')
  }
  const readPage = (after: string | null) => run(PrivateFeedsDocument, { collectionId, after })

  return (
    <>
      <Link href={`/collection/${collectionId}`}>{title}</Link>
      <PageHeading text={t('feeds.title')} />
      <p className="lead">{t('feeds.lead')}</p>
      {canWrite && (
        <div className="toolbar">
          <Button kind="primary" onPress={() => setAdding(true)}>
            {t('feeds.add')}
          </Button>
          {pages.nodes.length > 0 && (
            <Button onPress={() => void copyToClipboard(readList())}>{t('feeds.copyAll')}</Button>
          )}
        </div>
      )}
      <PagedList
        label={t('feeds.of', { title })}
        pages={pages}
        textOf={({ title }: LinkRowFragment) => title}
        rowHeight={useRowHeight()}
        empty={<EmptyState text={t('feeds.none')} />}
      >
        {(feed) => {
          const address = findFeed(feed)
          return (
            <>
              <span className="lines link">
                <strong>{feed.title}</strong>
                <span className="detail">{describeFeed(feed, plays).join(' · ')}</span>
              </span>
              {address && <Button onPress={() => void copyToClipboard(address)}>{t('feeds.copy')}</Button>}
              {canWrite && (
                <Button kind="danger" onPress={() => setRevoked(feed)}>
                  {t('access.revoke')}
                </Button>
              )}
            </>
          )
        }}
      </PagedList>
      {isAdding && (
        <NewSubscribers
          collectionId={collectionId}
          variants={variants}
          onCreated={() => void pages.refetch()}
          onClose={() => setAdding(false)}
        />
      )}
      {revoked && <RevokeKey of={revoked} onClose={() => setRevoked(null)} />}
    </>
  )
}

const describeFeed = (feed: LinkRowFragment, plays: ReadonlyMap<string, number> | undefined) =>
  [
    plays && t('link.plays', { count: formatNumber(plays.get(feed.id) ?? 0) }),
    feed.lastUsedAt ? t('access.used', { at: formatDate(feed.lastUsedAt) }) : t('feeds.neverUsed'),
    feed.variant?.index,
    ...describeLimits(feed),
  ].filter((part): part is string => !!part)
