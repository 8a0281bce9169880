import type { ReactNode } from 'react'
import { ProgressBar } from 'react-aria-components'
import { Link } from 'wouter'
import { ApiError, formatError } from '../../session/api.ts'
import { type TextName, t } from '../../strings.ts'
import { Button } from './button.tsx'
import { PageHeading } from './page-heading.tsx'

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
        {t('studio.failed')} {formatError(error)}
      </p>
      {onRetry && <Button onPress={onRetry}>{t('studio.retry')}</Button>}
    </div>
  )
}

interface RefusalProps {
  error: Error | null
  /** Whether its field shows it: then it is only announced. Defaults to false. */
  isAtField?: boolean
}

/** Why the service refused a change, or nothing. */
export const Refusal = ({ error, isAtField = false }: RefusalProps) =>
  error && (
    <p className={isAtField ? 'visually-hidden' : 'problem'} role="alert">
      {formatError(error)}
    </p>
  )

interface Answer<Data> {
  data: Data | undefined
  error: Error | null
  refetch: () => unknown
}

interface AnsweredProps<Data> {
  of: Answer<Data>
  /** List of the record that the page shows, to continue from when the record does not exist. */
  list?: { path: string; name: TextName }
  children: (data: Data) => ReactNode
}

/** Shows the data of `useData`, or that it is loading, or why it cannot be shown. */
export function Answered<Data>({ of: answer, list, children }: AnsweredProps<Data>) {
  const { data, error, refetch } = answer
  if (data !== undefined) return children(data)
  if (list && error instanceof ApiError && error.code === 'not_found') return <NoRecord list={list} />
  return error ? <Failure error={error} onRetry={refetch} /> : <Loading />
}

const NoRecord = ({ list }: { list: { path: string; name: TextName } }) => (
  <>
    <PageHeading text={t('studio.noRecord')} />
    <ul>
      <li>
        <Link href={list.path}>{t(list.name)}</Link>
      </li>
      <li>
        <Link href="/deleted">{t('studio.deleted')}</Link>
      </li>
    </ul>
  </>
)
