import { Input, Label, TextField } from 'react-aria-components'
import { t } from '../../strings.ts'
import { Button } from '../ui/button.tsx'
import { lastDays, type Period } from './period.ts'

const PRESETS = [7, 30, 90, 365]

interface Props {
  period: Period
  onChange: (period: Partial<Period>) => void
}

/** The first and the last day of a period. */
export const PeriodFields = ({ period, onChange }: Props) => (
  <div className="toolbar">
    <TextField className="field" value={period.from} onChange={(from) => onChange({ from })}>
      <Label>{t('usage.firstDay')}</Label>
      <Input type="date" max={period.to} />
    </TextField>
    <TextField className="field" value={period.to} onChange={(to) => onChange({ to })}>
      <Label>{t('usage.lastDay')}</Label>
      <Input type="date" min={period.from} />
    </TextField>
    {PRESETS.map((days) => (
      <Button key={days} onPress={() => onChange(lastDays(days))}>
        {t('usage.lastDays', { days })}
      </Button>
    ))}
  </div>
)
