import { Input, Label, Text, TextField } from 'react-aria-components'
import { t } from '../../strings.ts'
import { Button } from './button.tsx'
import { say } from './notice.tsx'

interface Props {
  label: string
  value: string
  hint?: string
}

/** A text to copy, such as a key or an address. */
export function CopyField({ label, value, hint }: Props) {
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => say(t('studio.copied')),
      // Without the permission, a person copies the selected text.
      () => say(t('studio.notCopied')),
    )
  return (
    <TextField value={value} isReadOnly className="field copy-field">
      <Label>{label}</Label>
      <div className="line">
        <Input onFocus={(event) => event.currentTarget.select()} />
        <Button onPress={() => void copy()} aria-label={`${t('studio.copy')}: ${label}`}>
          {t('studio.copy')}
        </Button>
      </div>
      {hint && <Text slot="description">{hint}</Text>}
    </TextField>
  )
}
