import { useState } from 'react'
import { FieldError, Input, Label, Text, TextField } from 'react-aria-components'
import { t } from '../../../strings.ts'
import { useRun } from '../../api.ts'
import {
  type TrackRowFragment as Track,
  UpdateTrackDocument,
  type UpdateTrackInput,
} from '../../generated/operations.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/field.tsx'
import { say } from '../../ui/notice.tsx'
import { formatTrackCount } from '../count.ts'
import { EachDialog } from './each-dialog.tsx'
import { type ActionProps, useEach } from './use-each.ts'

const texts = ['artist', 'album'] as const
const numbers = ['discNumber', 'year'] as const
type FieldName = (typeof texts)[number] | (typeof numbers)[number]

const explicitChoices = { inherited: null, yes: true, no: false } as const
type Explicit = keyof typeof explicitChoices
const isExplicitChoice = (id: string): id is Explicit => id in explicitChoices
const formatExplicit = ({ isExplicit }: Track): Explicit =>
  isExplicit === null ? 'inherited' : isExplicit ? 'yes' : 'no'

/** The value that all have. Null for several. */
const findShared = <Value,>(values: readonly Value[]): Value | null =>
  values.every((value) => value === values[0]) ? (values[0] ?? null) : null

/** Fields that a person has changed, as texts. */
type Changes = Partial<Record<FieldName, string>>

function toInput(changes: Changes): UpdateTrackInput {
  const input: UpdateTrackInput = {}
  for (const name of texts) if (changes[name] !== undefined) input[name] = changes[name].trim() || null
  for (const name of numbers)
    if (changes[name] !== undefined) input[name] = changes[name] ? Number(changes[name]) : null
  return input
}

/** Edits fields of all selected tracks. Only fields that a person changes are written; the others may differ. */
export function EditSelected(props: ActionProps) {
  const run = useRun()
  const each = useEach(props)
  const [changes, setChanges] = useState<Changes>({})
  const [explicit, setExplicit] = useState<Explicit | null>(null)
  const { tracks } = props.selection
  const sharedExplicit = findShared(tracks.map(formatExplicit))
  const save = () => {
    const input = { ...toInput(changes), ...(explicit && { isExplicit: explicitChoices[explicit] }) }
    if (Object.keys(input).length === 0) return props.onClose()
    void each.start({
      operate: ({ id }) => run(UpdateTrackDocument, { id, input }),
      onDone: (edited) => say(t('selection.edited', { tracks: formatTrackCount(edited.length) })),
    })
  }
  const change = (name: FieldName, text: string | undefined) => setChanges((before) => ({ ...before, [name]: text }))
  const field = (name: FieldName) => ({
    name,
    label: t(`library.${name}`),
    values: tracks.map((track) => String(track[name] ?? '')),
    changed: changes[name],
    onChange: (text: string | undefined) => change(name, text),
  })
  return (
    <EachDialog
      title={t('selection.edit', { tracks: formatTrackCount(tracks.length) })}
      each={each}
      label={t('studio.save')}
      failedText="selection.notEdited"
      onSubmit={save}
      onClose={props.onClose}
    >
      <p className="quiet">{t('selection.editText')}</p>
      <SharedField {...field('artist')} />
      <SharedField {...field('album')} />
      <div className="field-pair">
        <SharedField {...field('discNumber')} isNumber />
        <SharedField {...field('year')} isNumber />
      </div>
      <Choice
        label={t('library.isExplicit')}
        name="isExplicit"
        value={explicit ?? sharedExplicit ?? 'several'}
        onChange={(id) => setExplicit(isExplicitChoice(id) && id !== sharedExplicit ? id : null)}
        choices={[
          ...(sharedExplicit === null ? [{ id: 'several', text: t('selection.several') }] : []),
          { id: 'inherited', text: t('library.asCollection') },
          { id: 'yes', text: t('library.yes') },
          { id: 'no', text: t('library.no') },
        ]}
      />
    </EachDialog>
  )
}

interface FieldProps {
  name: string
  label: string
  isNumber?: boolean
  /** Value of each track. */
  values: readonly string[]
  /** Undefined until a person changes it. */
  changed: string | undefined
  onChange: (text: string | undefined) => void
}

/** A field with the value that all tracks have, or the remark that they have several. */
function SharedField({ name, label, isNumber, values, changed, onChange }: FieldProps) {
  const shared = findShared(values)
  const tracks = formatTrackCount(values.length)
  return (
    <TextField
      name={name}
      type={isNumber ? 'number' : 'text'}
      value={changed ?? shared ?? ''}
      onChange={(text) => onChange(text === shared ? undefined : text)}
      className="field"
    >
      <Label>{label}</Label>
      <Input placeholder={shared === null && changed === undefined ? t('selection.several') : undefined} />
      {changed !== undefined && (
        <Text slot="description" className="written">
          {t(changed === '' ? 'selection.isCleared' : 'selection.isWritten', { tracks })}{' '}
          <Button kind="bare" onPress={() => onChange(undefined)}>
            {t('selection.keep')}
          </Button>
        </Text>
      )}
      <FieldError />
    </TextField>
  )
}
