import { Input, Label, TextField, ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { t } from '../../strings.ts'
import { lastDays, type Period } from './period.ts'

const PRESETS = [7, 30, 90, 365]

interface Props {
  period: Period
  onChange: (period: Partial<Period>) => void
}

/** The first and the last day of a period, and buttons for usual periods that end today. */
export function PeriodFields({ period, onChange }: Props) {
  const isPeriod = (days: number) => {
    const { from, to } = lastDays(days)
    return period.from === from && period.to === to
  }
  return (
    <div className="toolbar">
      <ToggleButtonGroup
        className="periods"
        aria-label={t('usage.periods')}
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={PRESETS.filter(isPeriod)}
        onSelectionChange={([days]) => onChange(lastDays(Number(days)))}
      >
        {PRESETS.map((days) => (
          <ToggleButton key={days} id={days}>
            {t('usage.lastDays', { days })}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <TextField className="field" value={period.from} onChange={(from) => onChange({ from })}>
        <Label>{t('usage.firstDay')}</Label>
        <Input type="date" max={period.to} />
      </TextField>
      <TextField className="field" value={period.to} onChange={(to) => onChange({ to })}>
        <Label>{t('usage.lastDay')}</Label>
        <Input type="date" min={period.from} />
      </TextField>
    </div>
  )
}
