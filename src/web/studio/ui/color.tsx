import { useState } from 'react'
import { FieldError, Input, Label, Text, TextField } from 'react-aria-components'
import { t } from '../../strings.ts'

interface Props {
  label: string
  /** Name in a form, and of the field in a refusal of the service. */
  name: string
  hint?: string
  /** `#rrggbb`, or an empty text for an inherited color. */
  defaultValue?: string
  onChange?: (color: string) => void
}

/** Shown by the picker while no color is set. */
const NEUTRAL = '#888888'

/** A color as text, with a picker, on the backgrounds of light and dark players. */
export function ColorInput({ label, hint, defaultValue = '', name, onChange }: Props) {
  const [color, setColor] = useState(defaultValue)
  const isColor = /^#[0-9a-f]{6}$/i.test(color)
  const change = (text: string) => {
    setColor(text)
    onChange?.(text)
  }
  return (
    <TextField name={name} value={color} onChange={change} className="field color">
      <Label>{label}</Label>
      <div className="line">
        <Input placeholder="#5b5bd6" />
        <input
          type="color"
          aria-label={t('studio.pickColor')}
          value={isColor ? color : NEUTRAL}
          onChange={({ target }) => change(target.value)}
        />
        {isColor &&
          ['light', 'dark'].map((background) => (
            <span key={background} className={`on ${background}`} style={{ color }} aria-hidden="true">
              ▂▅▇▄▂
            </span>
          ))}
      </div>
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError />
    </TextField>
  )
}
