import { Plus, X } from 'lucide'
import { useId, useState } from 'react'
import {
  Button as AriaButton,
  ComboBox,
  FieldError,
  Input,
  ListBox,
  ListBoxItem,
  Popover,
  TextArea,
  TextField,
} from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'
import { ApiError } from '../../session/api.ts'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { MetadataKeysDocument } from '../generated/operations.ts'
import { Button } from '../ui/button.tsx'

type Metadata = Record<string, unknown>

/** An entry of the metadata as a form shows it. */
interface Entry {
  id: number
  key: string
  text: string
  /** The value that the text was formatted from. */
  value: unknown
}

const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const formatMetadata = (metadata: Metadata) => JSON.stringify(metadata, null, 2)
/** A value of metadata as text: JSON, unless it is a text itself. */
export const formatValue = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
/** Lists and objects are edited as JSON. */
const isNested = (value: unknown) => typeof value === 'object' && value !== null

let lastId = 0
const toEntry = (key: string, value: unknown): Entry => {
  lastId += 1
  return { id: lastId, key, text: formatValue(value), value }
}
const toEntries = (metadata: Metadata) => Object.entries(metadata).map(([key, value]) => toEntry(key, value))

/** A number, a boolean or null stays one where the new text is one, too. Every other text is a string. */
function parseValue({ text, value }: Entry): unknown {
  if (text === formatValue(value)) return value
  if (typeof value === 'string') return text
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === typeof value ? parsed : text
  } catch {
    return text
  }
}

const toMetadata = (entries: readonly Entry[]): Metadata =>
  Object.fromEntries(entries.filter(({ key }) => key.trim()).map((entry) => [entry.key.trim(), parseValue(entry)]))

/** Returns null for a text that is not an object in JSON. */
function parseMetadata(text: string): Metadata | null {
  try {
    const metadata: unknown = JSON.parse(text || '{}')
    return isObject(metadata) ? metadata : null
  } catch {
    return null
  }
}

/** The client's own JSON object, as rows of key and value or as a text. The form receives JSON. */
export function MetadataInput({ value }: { value: Metadata }) {
  const [entries, setEntries] = useState(() => toEntries(value))
  /** The text of the JSON view. Null while rows are shown. */
  const [text, setText] = useState<string | null>(null)
  const { data } = useData(MetadataKeysDocument, {})
  const labelId = useId()
  const change = (id: number, changed: Partial<Entry>) =>
    setEntries((before) => before.map((entry) => (entry.id === id ? { ...entry, ...changed } : entry)))
  const parsedText = text === null ? null : parseMetadata(text)
  const switchView = () => {
    if (parsedText) setEntries(toEntries(parsedText))
    setText(text === null ? formatMetadata(toMetadata(entries)) : null)
  }
  const usedKeys = new Set(entries.map(({ key }) => key.trim()))
  const unusedKeys = (data?.metadataKeys ?? []).filter((key) => !usedKeys.has(key))
  return (
    <fieldset aria-labelledby={labelId} className="field metadata">
      <div className="metadata-head">
        <span id={labelId} className="react-aria-Label">
          {t('library.metadata')}
        </span>
        <Button kind="bare" isDisabled={text !== null && parsedText === null} onPress={switchView}>
          {t(text === null ? 'library.metadataAdvanced' : 'library.metadataRows')}
        </Button>
      </div>
      {text === null ? (
        <>
          <input type="hidden" name="metadata" value={formatMetadata(toMetadata(entries))} />
          {entries.map((entry) => (
            <EntryRow
              key={entry.id}
              entry={entry}
              suggestedKeys={unusedKeys}
              isRepeated={entries.some(({ id, key }) => id < entry.id && key.trim() === entry.key.trim())}
              onChange={(changed) => change(entry.id, changed)}
              onRemove={() => setEntries((before) => before.filter(({ id }) => id !== entry.id))}
            />
          ))}
          {entries.some(({ value }) => isNested(value)) && (
            <span slot="description">{t('library.metadataNested')}</span>
          )}
          <Button kind="bare" onPress={() => setEntries((before) => [...before, toEntry('', '')])}>
            <Icon of={Plus} /> {t('library.metadataAdd')}
          </Button>
        </>
      ) : (
        <TextField aria-labelledby={labelId} name="metadata" value={text} onChange={setText} className="field">
          <TextArea rows={6} spellCheck={false} className="code" />
          <FieldError />
        </TextField>
      )}
    </fieldset>
  )
}

interface RowProps {
  entry: Entry
  suggestedKeys: readonly string[]
  /** Whether a row before has the same key. */
  isRepeated: boolean
  onChange: (changed: Partial<Entry>) => void
  onRemove: () => void
}

function EntryRow({ entry: { key, text, value }, suggestedKeys, isRepeated, onChange, onRemove }: RowProps) {
  const matches = suggestedKeys.filter((name) => name.toLowerCase().includes(key.trim().toLowerCase()))
  const name = key.trim() || t('library.metadataKey')
  return (
    <div className="metadata-row">
      <ComboBox
        aria-label={t('library.metadataKey')}
        items={matches.map((id) => ({ id }))}
        inputValue={key}
        onInputChange={(typed) => onChange({ key: typed })}
        isRequired={text !== ''}
        validate={() => (isRepeated && key.trim() ? t('library.metadataRepeated') : null)}
        allowsCustomValue
        menuTrigger="focus"
        className="field"
      >
        <Input placeholder={t('library.metadataKey')} />
        <FieldError />
        <Popover>
          <ListBox<{ id: string }>>{({ id }) => <ListBoxItem textValue={id}>{id}</ListBoxItem>}</ListBox>
        </Popover>
      </ComboBox>
      <TextField
        aria-label={t('library.metadataValueOf', { key: name })}
        value={text}
        onChange={(typed) => onChange({ text: typed })}
        isReadOnly={isNested(value)}
        className="field"
      >
        <Input placeholder={t('library.metadataValue')} />
      </TextField>
      <AriaButton className="button bare" aria-label={t('library.metadataRemove', { key: name })} onPress={onRemove}>
        <Icon of={X} />
      </AriaButton>
    </div>
  )
}

/** Reads the field of `MetadataInput`. */
export function useMetadata(value: Metadata) {
  const [error, setError] = useState<ApiError | null>(null)
  return {
    error,
    reset: () => setError(null),
    /** Returns the metadata if it differs from the record's, and null for a text that is not an object in JSON. */
    changed(fields: FormData): { metadata?: Metadata } | null {
      setError(null)
      const text = String(fields.get('metadata'))
      if (text === formatMetadata(value)) return {}
      const metadata = parseMetadata(text)
      if (!metadata) setError(new ApiError('invalid_input', `metadata: ${t('library.notJson')}`))
      return metadata && { metadata }
    },
  }
}
