import { useState } from 'react'

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

/** Returns the numbers of a form that differ from the record's. An empty field is null. */
export function changedNumbers<Name extends string>(
  fields: FormData,
  record: Record<Name, number | null>,
  names: readonly Name[],
): Partial<Record<Name, number | null>> {
  const changed: Partial<Record<Name, number | null>> = {}
  for (const name of names) {
    const text = String(fields.get(name)).trim()
    if (text !== String(record[name] ?? '')) changed[name] = text === '' ? null : Number(text)
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
