import { useState } from 'react'
import { t } from '../../strings.ts'
import { useData, usePages } from '../api.ts'
import { CollectionDocument, CollectionsDocument } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { SearchChoice } from '../ui/search-choice.tsx'

interface Props {
  /** ID of the collection, or an empty text for all. */
  value: string
  onChange: (id: string) => void
}

/** Limits a list to one of many collections, which is found by its title. */
export const CollectionFilter = ({ value, onChange }: Props) =>
  value ? <Chosen id={value} onClear={() => onChange('')} /> : <Find onChoose={onChange} />

function Chosen({ id, onClear }: { id: string; onClear: () => void }) {
  const { data } = useData(CollectionDocument, { id })
  return <Button onPress={onClear}>{t('library.onlyCollection', { title: data?.collection?.title ?? '…' })} ×</Button>
}

function Find({ onChoose }: { onChoose: (id: string) => void }) {
  const [search, setSearch] = useState('')
  const { nodes } = usePages(CollectionsDocument, { search: search || undefined }, (data) => data.collections)
  return (
    <SearchChoice
      label={t('library.collection')}
      name="collection"
      choices={nodes.map(({ id, title }) => ({ id, text: title }))}
      onSearch={setSearch}
      onChoose={(id) => id && onChoose(id)}
    />
  )
}
