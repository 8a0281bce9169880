import type { ReactNode } from 'react'
import { ProgressBar } from 'react-aria-components'
import { messageOf } from '../../session/api.ts'
import { t } from '../../strings.ts'
import { Button } from './button.tsx'

export const Loading = () => (
  <ProgressBar isIndeterminate aria-label={t('studio.loading')} className="loading">
    <span className="spinner" />
  </ProgressBar>
)

/** A refusal or failure. */
export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  return (
    <div className="failure" role="alert">
      <p>
        {t('studio.failed')} {messageOf(error)}
      </p>
      {onRetry && <Button onPress={onRetry}>{t('studio.retry')}</Button>}
    </div>
  )
}

/** Why the service refused a change, or nothing. */
export const Refusal = ({ error }: { error: Error | null }) =>
  error && (
    <p className="problem" role="alert">
      {messageOf(error)}
    </p>
  )

interface Answer<Data> {
  data: Data | undefined
  error: Error | null
  refetch: () => unknown
}

/** Shows the data of `useData`, or that it is loading, or why it cannot be shown. */
export function Answered<Data>({ of: answer, children }: { of: Answer<Data>; children: (data: Data) => ReactNode }) {
  const { data, error, refetch } = answer
  if (data !== undefined) return children(data)
  return error ? <Failure error={error} onRetry={refetch} /> : <Loading />
}
