import { useState } from 'react'
import { ApiError } from '../../session/api.ts'
import { t } from '../../strings.ts'
import { TextInput } from '../ui/field.tsx'

type Metadata = Record<string, unknown>

/**
 * Returns the record as it was when the form was opened. A form is compared with that: the record may have been changed by
 * another person since, and a comparison with the current one would undo it.
 */
export function useOpenedRecord<Value>(record: Value, isOpen: boolean): Value {
  const [opened, setOpened] = useState({ record, isOpen })
  if (opened.isOpen !== isOpen) {
    setOpened({ record, isOpen })
    return record
  }
  return isOpen ? opened.record : record
}

/** Returns the texts of a form that differ from the record's. An empty one is null. */
export function changedTexts<Name extends string>(
  fields: FormData,
  record: Record<Name, string | null>,
  names: readonly Name[],
): Partial<Record<Name, string | null>> {
  const changed: Partial<Record<Name, string | null>> = {}
  for (const name of names) {
    const text = String(fields.get(name))
    if (text !== (record[name] ?? '')) changed[name] = text || null
  }
  return changed
}

/** Returns the checkboxes of a form that differ from the record's. */
export function changedChecks<Name extends string>(
  fields: FormData,
  record: Record<Name, boolean>,
  names: readonly Name[],
): Partial<Record<Name, boolean>> {
  const changed: Partial<Record<Name, boolean>> = {}
  for (const name of names) if (fields.has(name) !== record[name]) changed[name] = fields.has(name)
  return changed
}

const formatMetadata = (metadata: Metadata) => JSON.stringify(metadata, null, 2)

/** The client's own JSON object, as text. */
export const MetadataInput = ({ value }: { value: Metadata }) => (
  <TextInput
    label={t('library.metadata')}
    name="metadata"
    defaultValue={formatMetadata(value)}
    rows={5}
    hint={t('library.metadataHint')}
  />
)

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
      try {
        const metadata: unknown = JSON.parse(text || '{}')
        if (isObject(metadata)) return { metadata }
      } catch {
        // Answered below, like other values.
      }
      setError(new ApiError('invalid_input', `metadata: ${t('library.notJson')}`))
      return null
    },
  }
}

const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
