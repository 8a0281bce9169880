import { ChevronDown } from 'lucide'
import { useState } from 'react'
import {
  Button as AriaButton,
  ComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
} from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'
import { t } from '../../strings.ts'

interface Props {
  label: string
  /** Name in a form, and of the field in a refusal. The form receives the ID of the choice. */
  name: string
  hint?: string
  isRequired?: boolean
  /** Records that match the searched text. */
  choices: readonly { id: string; text: string }[]
  /** Called with the typed text. */
  onSearch: (text: string) => void
  /** Called with the ID of the chosen record, null without one. */
  onChoose?: (id: string | null) => void
}

/** One of many records, found by typing. */
export function SearchChoice({ label, hint, choices, onSearch, onChoose, ...field }: Props) {
  const [text, setText] = useState('')
  const search = (typed: string) => {
    setText(typed)
    // A chosen record fills in its own text, which is no search.
    if (!choices.some((choice) => choice.text === typed)) onSearch(typed.trim())
  }
  return (
    <ComboBox
      {...field}
      items={choices}
      inputValue={text}
      onInputChange={search}
      onChange={(id) => onChoose?.(id === null ? null : String(id))}
      formValue="key"
      menuTrigger="focus"
      allowsEmptyCollection
      className="field"
    >
      <Label>{label}</Label>
      <div className="around">
        <Input />
        <AriaButton className="open">
          <Icon of={ChevronDown} />
        </AriaButton>
      </div>
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError />
      <Popover>
        <ListBox<{ id: string; text: string }> renderEmptyState={() => <p className="empty">{t('studio.nothing')}</p>}>
          {({ id, text }) => (
            <ListBoxItem id={id} textValue={text}>
              {text}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
