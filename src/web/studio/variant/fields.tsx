import { formatNumber, t } from '../../strings.ts'
import { Check, Choice, TextInput } from '../ui/field.tsx'
import { type Parameter, toLabel } from './parameters.ts'

interface Props {
  parameters: readonly Parameter[]
  /** Present values, by name. */
  values: Readonly<Record<string, unknown>>
  onChoose: (name: string, id: string) => void
}

/** The settings of a variant. An empty field has its default. */
export const ParameterFields = ({ parameters, values, onChoose }: Props) =>
  parameters.map((parameter) => (
    <Field key={parameter.name} of={parameter} value={values[parameter.name]} onChoose={onChoose} />
  ))

function Field({ of, value, onChoose }: { of: Parameter; value: unknown; onChoose: Props['onChoose'] }) {
  const { name } = of
  const label = t(toLabel(name))
  const text = value === null || value === undefined ? undefined : [value].flat().join(', ')
  if (of.kind === 'flag') {
    return (
      <Check name={name} defaultSelected={value === undefined ? of.initial : value === true}>
        {label}
      </Check>
    )
  }
  if (of.kind === 'choice') {
    return (
      <Choice
        label={label}
        name={name}
        choices={of.choices}
        defaultValue={text?.toLowerCase() ?? of.initial}
        onChange={(id) => onChoose(name, id)}
      />
    )
  }
  if (of.kind === 'color') return <TextInput label={label} name={name} hint={colorHint(of)} defaultValue={text} />
  if (of.kind === 'numbers') {
    const hint = t('variant.numbersHint', { initial: of.initial.join(', ') })
    return <TextInput label={label} name={name} hint={hint} defaultValue={text} />
  }
  return <TextInput label={label} name={name} type="number" hint={rangeHint(of)} defaultValue={text} />
}

const colorHint = ({ name, initial }: { name: string; initial?: string }) => {
  if (initial) return t('variant.colorHint', { initial })
  return t(name === 'color' ? 'variant.playerColorHint' : 'variant.transparentHint')
}

function rangeHint({ min, max, initial }: { min?: number; max?: number; initial?: number }): string {
  const range = max === undefined ? '' : t('variant.range', { min: formatNumber(min ?? 0), max: formatNumber(max) })
  const standard =
    initial === undefined ? t('variant.isOptional') : t('variant.initial', { initial: formatNumber(initial) })
  return `${range} ${standard}`.trim()
}
