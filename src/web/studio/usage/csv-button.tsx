import { useState } from 'react'
import { useSessionStore } from '../../session/use-session.ts'
import { t } from '../../strings.ts'
import { Button } from '../ui/button.tsx'
import { say } from '../ui/notice.tsx'
import { type Period, toRange } from './period.ts'

/** Saves the figures of a period as CSV. @param groups columns of /v1/usage */
export function CsvButton({ period, groups }: { period: Period; groups: readonly string[] }) {
  const session = useSessionStore()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const query = new URLSearchParams({ ...toRange(period), group_by: groups.join(','), format: 'named_csv' })
      const authorization = `Bearer ${await session.credential()}`
      const response = await fetch(`/v1/usage?${query}`, { headers: { authorization } })
      if (!response.ok) throw new Error(((await response.json()) as { message: string }).message)
      // The browser stores a large file on disk.
      saveFile(await response.blob(), `usage-${groups.join('-')}-${period.from}-${period.to}.csv`)
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

/** Time for the browser to begin the download, after which the address of the file is released. */
const BEGIN_MS = 60_000

function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), BEGIN_MS)
}
