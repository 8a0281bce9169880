import { formatNumber, t } from '../../strings.ts'

interface Props {
  now: number
  before: number
  /** Length of both periods. */
  days: number
}

/** The change of a count against as many days before, in percent. */
export function Change({ now, before, days }: Props) {
  if (before === 0) return <small>{t('usage.noneBefore', { days })}</small>
  const share = (now - before) / before
  const change = formatNumber(share, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 })
  return (
    <small>
      <span className={share > 0 ? 'more' : undefined}>{change}</span> {t('usage.before', { days })}
    </small>
  )
}
