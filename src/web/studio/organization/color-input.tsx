import { FieldError, Input, Label, Text, TextField } from 'react-aria-components'
import { t } from '../../strings.ts'

interface Props {
  label: string
  /** Name in a form, and of the field in a refusal. */
  name: string
  hint: string
  /** Hexadecimal, while it is typed perhaps incomplete. */
  value: string
  onChange: (value: string) => void
}

/** A color, as text and by the browser's color picker. */
export function ColorInput({ label, name, hint, value, onChange }: Props) {
  const isComplete = /^#[0-9a-f]{6}$/i.test(value)
  return (
    <TextField name={name} value={value} onChange={onChange} className="field">
      <Label>{label}</Label>
      <div className="line">
        <Input />
        <input
          type="color"
          className="picker"
          aria-label={t('organization.pickColor')}
          value={isComplete ? value : '#000000'}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      <Text slot="description">{hint}</Text>
      <FieldError />
    </TextField>
  )
}
