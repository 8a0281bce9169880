import { Search as SearchIcon, X } from 'lucide'
import { useEffect, useEffectEvent, useState } from 'react'
import { Button, Input, SearchField } from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'
import { t } from '../../strings.ts'

interface Props {
  label?: string
  /** The text that is searched for. */
  value: string
  /** Called when the person pauses typing. */
  onSearch: (text: string) => void
}

const PAUSE_MS = 250
/** Maximum of the service. */
const MAX_LENGTH = 200

/** Searches while a person types. */
export function Search({ label = t('studio.search'), value, onSearch }: Props) {
  const [text, setText] = useState(value)
  const [lastValue, setLastValue] = useState(value)
  if (value !== lastValue) {
    setLastValue(value)
    // It comes from the address, by a menu or the way back, and not from the text.
    if (value !== text.trim()) setText(value)
  }
  const search = useEffectEvent(onSearch)
  useEffect(() => {
    const timer = setTimeout(() => search(text.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <SearchField aria-label={label} value={text} onChange={setText} maxLength={MAX_LENGTH} className="field search">
      <div className="around">
        <Icon of={SearchIcon} />
        <Input placeholder={label} />
        <Button className="clear">
          <Icon of={X} />
        </Button>
      </div>
    </SearchField>
  )
}
