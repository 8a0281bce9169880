import { type ComponentProps, useState } from 'react'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { CollectionChoicesDocument } from '../generated/operations.ts'
import { SearchChoice } from './search-choice.tsx'

type Props = Pick<ComponentProps<typeof SearchChoice>, 'hint' | 'isRequired' | 'onChoose'> & { label?: string }

/** One of many collections, found by its title. A form receives its ID as `collectionId`. */
export function CollectionChoice({ label = t('library.collection'), ...props }: Props) {
  const [search, setSearch] = useState('')
  const { data } = useData(CollectionChoicesDocument, { search: search || null })
  const choices = data?.collections.nodes.map(({ id, title }) => ({ id, text: title })) ?? []
  return <SearchChoice {...props} label={label} name="collectionId" choices={choices} onSearch={setSearch} />
}
