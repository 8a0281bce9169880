import { useState } from 'react'
import { t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { KeysDocument, type KeysQueryVariables } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/field.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Search } from '../ui/search.tsx'
import { CreateKey } from './create-key.tsx'
import { type Key, KeyRow } from './key-row.tsx'
import { isKind, KINDS, kindsOfKeys } from './kinds.ts'
import { RevokeKey } from './revoke-key.tsx'
import { RevokedChoice } from './revoked-choice.tsx'

type Filter = NonNullable<KeysQueryVariables['filter']>

const ALL_KINDS: Filter = { kinds: [...KINDS] }

/** The keys of the organization for programs. */
export default function Keys() {
  const [filter, setFilter] = useState<Filter>({ ...ALL_KINDS, isRevoked: false })
  const [isCreating, setCreating] = useState(false)
  const [revoked, setRevoked] = useState<Key | null>(null)
  const canWrite = useCanWrite()
  const pages = usePages(KeysDocument, { filter }, (data) => data.keys)
  const change = (part: Filter) => setFilter((before) => ({ ...before, ...part }))
  return (
    <>
      <PageHeading text={t('studio.keys')} />
      <p className="lead">{t('access.lead')}</p>
      <div className="toolbar">
        <Search value="" onSearch={(search) => change({ search: search || undefined })} />
        <Choice
          label={t('access.kind')}
          name="kind"
          defaultValue=""
          choices={[{ id: '', text: t('access.allKinds') }, ...kindsOfKeys()]}
          onChange={(kind) => change(isKind(kind) ? { kinds: [kind] } : ALL_KINDS)}
        />
        <RevokedChoice onChange={(isRevoked) => change({ isRevoked })} />
        {canWrite && (
          <Button kind="primary" onPress={() => setCreating(true)}>
            {t('access.create')}
          </Button>
        )}
      </div>
      <PagedList label={t('studio.keys')} pages={pages} textOf={({ title }) => title} empty={t('access.noKeys')}>
        {(key) => <KeyRow of={key} onRevoke={() => setRevoked(key)} />}
      </PagedList>
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
      {revoked && <RevokeKey of={revoked} onClose={() => setRevoked(null)} />}
    </>
  )
}
