import { useState } from 'react'
import { useSessionStore } from '../../session/use-session.ts'
import { t } from '../../strings.ts'
import { Button } from '../ui/button.tsx'
import { say } from '../ui/notice.tsx'
import { type Period, toRange } from './period.ts'

/** Figures that /v1 returns as CSV. */
interface Figures {
  path: '/v1/usage' | '/v1/usage/audience' | `/v1/track/${string}/retention`
  /** Parameters other than the period. */
  query: Record<string, string>
  /** Defaults to all days. */
  period?: Period
  /** Beginning of the name of the file, before its period. */
  name: string
}

/** Saves figures as CSV. */
export function CsvButton({ path, query, period, name }: Figures) {
  const session = useSessionStore()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const parameters = new URLSearchParams({ ...(period && toRange(period)), ...query })
      const authorization = `Bearer ${await session.credential()}`
      const response = await fetch(`${path}?${parameters}`, { headers: { authorization } })
      if (!response.ok) throw new Error(((await response.json()) as { message: string }).message)
      // The browser stores a large file on disk.
      const days = period ? `-${period.from}-${period.to}` : ''
      saveFile(await response.blob(), `${name}${days}.csv`)
    } catch (error) {
      say(t('usage.csvFailed', { reason: (error as Error).message }))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button isPending={isBusy} onPress={() => void save()}>
      {t('usage.csv')}
    </Button>
  )
}

/** Saves play requests and listens by a group of /v1/usage. */
export const UsageCsvButton = ({ period, group }: { period: Period; group: string }) => (
  <CsvButton
    path="/v1/usage"
    query={{ group_by: group, format: 'named_csv' }}
    period={period}
    name={`usage-${group}`}
  />
)

/** Time for the browser to begin the download, after which the address of the file is released. */
const BEGIN_MS = 60_000

function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), BEGIN_MS)
}
