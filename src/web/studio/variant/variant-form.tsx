import { useState } from 'react'
import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { readText } from '../form-values.ts'
import {
  CreateVariantDocument,
  type CreateVariantInput,
  UpdateVariantDocument,
  type VariantRowFragment,
  type VariantType,
} from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { Check, Choice, TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import { ParameterFields } from './fields.tsx'
import { listParameters, readInput } from './parameters.ts'
import { typeNames } from './types.ts'

const choiceTexts = () => ({
  seconds: t('variant.inSeconds'),
  percent: t('variant.inPercent'),
  linear: t('variant.linear'),
  dynamic: t('variant.dynamic'),
  cbr: t('variant.cbr'),
  vbr: t('variant.vbr'),
  mixed: t('variant.mixed'),
  split: t('variant.split'),
})

/** The settings of a type, and the choices that decide about them. */
function useParameters(type: VariantType, values: Readonly<Record<string, unknown>>) {
  const lower = (name: string, initial: string) => String(values[name] ?? initial).toLowerCase()
  const [chosen, setChosen] = useState({
    codec: lower('codec', 'aac'),
    previewType: lower('previewType', 'seconds'),
  })
  const parameters = listParameters(type, chosen, choiceTexts())
  return { parameters, choose: (name: string, id: string) => setChosen((before) => ({ ...before, [name]: id })) }
}

/** Adds a variant for all later uploads, and for existing tracks if wanted. */
export function CreateVariant({ onClose }: { onClose: () => void }) {
  const create = useChange(CreateVariantDocument)
  const [type, setType] = useState<VariantType>('TRANSCODE')
  const { parameters, choose } = useParameters(type, {})
  const send = (fields: FormData) => {
    const index = readText(fields, 'index')
    const enteredValues = Object.entries(readInput(fields, parameters)).filter(([, value]) => value !== null)
    const input: CreateVariantInput = {
      ...Object.fromEntries(enteredValues),
      variantTypeId: type,
      index,
      applyToExisting: fields.get('applyToExisting') === 'on',
    }
    create.mutate(
      { input },
      {
        onSuccess: () => {
          onClose()
          say(t('variant.created', { index }))
        },
      },
    )
  }
  return (
    <Dialog title={t('variant.create')} isOpen onClose={onClose}>
      <EditForm
        onSubmit={send}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
        label={t('variant.create')}
      >
        <Choice
          label={t('variant.type')}
          name="variantTypeId"
          choices={Object.entries(typeNames).map(([id, name]) => ({ id, text: t(name) }))}
          defaultValue={type}
          onChange={(id) => setType(id as VariantType)}
        />
        <IndexField />
        <ParameterFields key={type} parameters={parameters} values={{}} onChoose={choose} />
        <Check name="applyToExisting">{t('variant.applyToExisting')}</Check>
      </EditForm>
    </Dialog>
  )
}

/** Changes a variant. Existing files stay until the variant is applied. */
export function EditVariant({ of: variant, onClose }: { of: VariantRowFragment; onClose: () => void }) {
  const update = useChange(UpdateVariantDocument)
  const values: Readonly<Record<string, unknown>> = variant.props ?? {}
  const { parameters, choose } = useParameters(variant.variantTypeId, values)
  const save = (fields: FormData) =>
    update.mutate(
      { id: variant.id, input: { ...readInput(fields, parameters), index: readText(fields, 'index') } },
      {
        onSuccess: () => {
          onClose()
          say(t('variant.changed'))
        },
      },
    )
  return (
    <Dialog title={t('variant.edit', { index: variant.index })} isOpen onClose={onClose}>
      <p className="quiet">{t('variant.editHint')}</p>
      <EditForm onSubmit={save} onCancel={onClose} isBusy={update.isPending} error={update.error}>
        <IndexField index={variant.index} />
        <ParameterFields parameters={parameters} values={values} onChoose={choose} />
      </EditForm>
    </Dialog>
  )
}

const IndexField = ({ index }: { index?: string }) => (
  <TextInput label={t('variant.index')} name="index" hint={t('variant.indexHint')} defaultValue={index} isRequired />
)
