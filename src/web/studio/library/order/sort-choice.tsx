import { t } from '../../../strings.ts'
import { useFilters } from '../../filters.ts'
import { Choice } from '../../ui/field.tsx'
import { isListSort, type ListSort, listSorts, toChoices } from './sorts.ts'

/** The order of a list, in the address of the page. @param defaultSort the order without one */
export function useListSort(defaultSort: ListSort) {
  const { get, set } = useFilters()
  const name = get('sort')
  const sort = isListSort(name) ? name : defaultSort
  return {
    sort,
    isDefault: sort === defaultSort,
    order: listSorts[sort].order,
    choose: (next: string) => set('sort', next === defaultSort ? '' : next),
  }
}

interface Props {
  of: ReturnType<typeof useListSort>
  /** Whether the list is that of a collection, which has an order of its own. */
  isOfCollection?: boolean
}

export function SortChoice({ of: { sort, choose }, isOfCollection = false }: Props) {
  const { album, ...others } = listSorts
  return (
    <Choice
      label={t('order.order')}
      name="sort"
      choices={toChoices(isOfCollection ? { album, ...others } : others)}
      value={sort}
      onChange={choose}
    />
  )
}
