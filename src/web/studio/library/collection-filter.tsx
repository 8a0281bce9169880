import { X } from 'lucide'
import { Icon } from '../../design/icon.tsx'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { CollectionDocument } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'
import { CollectionChoice } from '../ui/collection-choice.tsx'

interface Props {
  /** ID of the collection, or an empty text for all. */
  value: string
  onChange: (id: string) => void
}

/** Limits a list to one of many collections, which is found by its title. */
export const CollectionFilter = ({ value, onChange }: Props) =>
  value ? (
    <Chosen id={value} onClear={() => onChange('')} />
  ) : (
    <CollectionChoice onChoose={(id) => id && onChange(id)} />
  )

function Chosen({ id, onClear }: { id: string; onClear: () => void }) {
  const { data } = useData(CollectionDocument, { id })
  return (
    <Button onPress={onClear}>
      {t('library.onlyCollection', { title: data?.collection?.title ?? '…' })}
      <Icon of={X} />
    </Button>
  )
}
