import { Check as CheckMark, ChevronDown } from 'lucide'
import type { ReactNode } from 'react'
import {
  Button as AriaButton,
  Checkbox,
  CheckboxGroup,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  Text,
  TextArea,
  TextField,
} from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'

interface FieldProps {
  label: string
  /** Name in a form, and of the field in a refusal of the service. */
  name: string
  hint?: string
  isRequired?: boolean
}

interface TextProps extends FieldProps {
  defaultValue?: string
  /** The text, where the page changes it. */
  value?: string
  type?: 'text' | 'email' | 'url' | 'number' | 'datetime-local' | 'password'
  /** Lines of a larger field. */
  rows?: number
  autoComplete?: string
  onChange?: (text: string) => void
}

/** A line of text, or several. */
export function TextInput({ label, hint, rows, ...field }: TextProps) {
  return (
    <TextField {...field} className="field">
      <Label>{label}</Label>
      {rows ? <TextArea rows={rows} /> : <Input step={field.type === 'number' ? 'any' : undefined} />}
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError />
    </TextField>
  )
}

interface ChoiceProps extends FieldProps {
  choices: readonly { id: string; text: string }[]
  defaultValue?: string
  /** The choice, where the address of the page has it. */
  value?: string
  onChange?: (id: string) => void
}

/** One of a few. */
export function Choice({ label, hint, choices, defaultValue, value, onChange, ...field }: ChoiceProps) {
  const choice = value === undefined ? { defaultValue } : { value }
  return (
    <Select {...field} {...choice} onChange={(id) => onChange?.(String(id))} className="field">
      <Label>{label}</Label>
      <AriaButton className="choice">
        <SelectValue />
        <Icon of={ChevronDown} />
      </AriaButton>
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError />
      <Popover>
        <ListBox items={choices}>{({ id, text }) => <ListBoxItem id={id}>{text}</ListBoxItem>}</ListBox>
      </Popover>
    </Select>
  )
}

const Box = () => (
  <span className="box" aria-hidden="true">
    <Icon of={CheckMark} />
  </span>
)

/** Yes or no. */
export function Check({
  name,
  defaultSelected,
  children,
}: {
  name: string
  defaultSelected?: boolean
  children: ReactNode
}) {
  return (
    <Checkbox name={name} value="on" defaultSelected={defaultSelected} className="check">
      <Box />
      {children}
    </Checkbox>
  )
}

interface ChecksProps extends FieldProps {
  choices: readonly { id: string; text: string }[]
  defaultValue?: readonly string[]
}

/** Any of a few. A form receives the ID of each. */
export function Checks({ label, hint, choices, defaultValue = [], ...field }: ChecksProps) {
  return (
    <CheckboxGroup {...field} defaultValue={[...defaultValue]} className="field checks">
      <Label>{label}</Label>
      {hint && <Text slot="description">{hint}</Text>}
      {choices.map(({ id, text }) => (
        <Checkbox key={id} value={id} className="check">
          <Box />
          {text}
        </Checkbox>
      ))}
      <FieldError />
    </CheckboxGroup>
  )
}
