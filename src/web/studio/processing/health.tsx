import { useQuery } from '@tanstack/react-query'
import { t } from '../../strings.ts'

/** State of the gateway, in its own words. */
interface Health {
  ok: boolean
  reasons: string[]
  warnings: string[]
}

const REFRESH_MS = 15_000

/** @throws for a proxy that does not pass the address on */
async function readHealth(): Promise<Health> {
  const { ok, reasons, warnings } = await (await fetch('/health/ready')).json()
  if (!Array.isArray(reasons) || !Array.isArray(warnings)) throw new Error('the address answers something else')
  return { ok, reasons, warnings }
}

/** Whether the service works, in a sentence. Nothing where a proxy keeps the address to itself. */
export function ServiceHealth() {
  const { data } = useQuery({ queryKey: ['health'], queryFn: readHealth, refetchInterval: REFRESH_MS, retry: false })
  if (!data) return null
  const faults = [...data.reasons, ...data.warnings]
  if (faults.length === 0)
    return (
      <p className="quality-sentence">
        <i className="dot" /> {t('processing.healthy')}
      </p>
    )
  return (
    <div className="failure" role="alert">
      <p>{t(data.ok ? 'processing.degraded' : 'processing.unavailable')}</p>
      <ul>
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </div>
  )
}
