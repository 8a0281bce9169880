import { Input, Label, Text, TextField } from 'react-aria-components'
import { copyText } from '../../copy-text.ts'
import { t } from '../../strings.ts'
import { Button } from './button.tsx'
import { say } from './notice.tsx'

interface Props {
  label: string
  value: string
  hint?: string
  /** Whether copying is the main action of the view. Defaults to false. */
  isMain?: boolean
}

/** Copies a text and says so. Without the permission, a person copies the selected text. */
export async function copyToClipboard(text: string | Promise<string>): Promise<void> {
  say(t((await copyText(text)) ? 'studio.copied' : 'studio.notCopied'))
}

/** A text to copy, such as a key or an address. */
export function CopyField({ label, value, hint, isMain = false }: Props) {
  return (
    <TextField value={value} isReadOnly className="field copy-field">
      <Label>{label}</Label>
      <div className="line">
        <Input onFocus={(event) => event.currentTarget.select()} />
        <Button
          kind={isMain ? 'primary' : 'plain'}
          onPress={() => void copyToClipboard(value)}
          aria-label={`${t('studio.copy')}: ${label}`}
        >
          {t('studio.copy')}
        </Button>
      </div>
      {hint && <Text slot="description">{hint}</Text>}
    </TextField>
  )
}
