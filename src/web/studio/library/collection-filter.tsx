import { useState } from 'react'
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import { t } from '../../strings.ts'
import { useData, usePages } from '../api.ts'
import { CollectionDocument, CollectionsDocument } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'

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
  const [text, setText] = useState('')
  const { nodes } = usePages(CollectionsDocument, { search: text.trim() || undefined }, (data) => data.collections)
  return (
    <ComboBox
      className="field"
      items={nodes}
      inputValue={text}
      onInputChange={setText}
      // The service searches.
      defaultFilter={() => true}
      onChange={(id) => id && onChoose(String(id))}
      menuTrigger="focus"
    >
      <Label>{t('library.collection')}</Label>
      <Input maxLength={200} placeholder={t('library.allCollections')} />
      <Popover>
        <ListBox>
          {({ id, title }: { id: string; title: string }) => <ListBoxItem id={id}>{title}</ListBoxItem>}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
