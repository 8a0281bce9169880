import { useState } from 'react'
import { t } from '../../strings.ts'
import { RevokedChoice } from '../access/revoked-choice.tsx'
import { usePages } from '../api.ts'
import { LinksDocument, type LinksQueryVariables } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Search } from '../ui/search.tsx'
import { LinkDialogs } from './link-dialogs.tsx'
import { type LinkAction, LinkRow, titleOfLink } from './link-row.tsx'
import { NewLink } from './new-link.tsx'
import { useRowHeight } from './row-height.ts'
import { usePlays } from './use-plays.ts'

type Filter = NonNullable<LinksQueryVariables['filter']>

/** All share links of the organization. */
export default function Links() {
  const [filter, setFilter] = useState<Filter>({ kind: 'SHARE', isRevoked: false })
  const [isCreating, setCreating] = useState(false)
  const [action, setAction] = useState<LinkAction | null>(null)
  const plays = usePlays()
  const pages = usePages(LinksDocument, { filter }, (data) => data.keys)
  const change = (part: Filter) => setFilter((before) => ({ ...before, ...part }))
  return (
    <>
      <PageHeading text={t('studio.links')} />
      <p className="lead">{t('link.lead')}</p>
      <div className="toolbar">
        <Search value="" onSearch={(search) => change({ search: search || undefined })} />
        <RevokedChoice onChange={(isRevoked) => change({ isRevoked })} />
        {useCanWrite() && (
          <Button kind="primary" onPress={() => setCreating(true)}>
            {t('link.create')}
          </Button>
        )}
      </div>
      <PagedList
        label={t('studio.links')}
        pages={pages}
        textOf={titleOfLink}
        rowHeight={useRowHeight()}
        empty={t('link.none')}
      >
        {(link) => <LinkRow of={link} plays={plays} onAct={(kind) => setAction({ kind, link })} />}
      </PagedList>
      {isCreating && <NewLink onClose={() => setCreating(false)} />}
      <LinkDialogs action={action} onClose={() => setAction(null)} />
    </>
  )
}
