import type { ReactNode } from 'react'
import { ProgressBar } from 'react-aria-components'
import { formatError } from '../../../session/api.ts'
import { formatNumber, type TextName, t } from '../../../strings.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, EditForm } from '../../ui/dialog.tsx'
import type { Each } from './use-each.ts'

interface Props {
  title: string
  each: Each
  /** Label of the button that starts the run. */
  label: string
  /** Whether the run removes something. Defaults to false. */
  isDanger?: boolean
  /** Text above the tracks that failed, with `{failed}` and `{count}`. */
  failedText: TextName
  onSubmit: (fields: FormData) => void
  onClose: () => void
  children: ReactNode
}

/** A form for all selected tracks, with the progress of the run, and the names of tracks that failed. */
export function EachDialog({ title, each, label, isDanger, failedText, onSubmit, onClose, children }: Props) {
  const { progress } = each
  const sharedError = findSharedError(each)
  return (
    <Dialog title={title} isOpen isKept={progress !== null} onClose={onClose}>
      <FailedTracks each={each} text={failedText} isNamed={!sharedError} />
      <EditForm
        onSubmit={onSubmit}
        onCancel={progress ? undefined : onClose}
        isBusy={progress !== null}
        isDanger={isDanger}
        error={sharedError}
        label={label}
      >
        {children}
        {progress && <Progress {...progress} onStop={each.stop} />}
      </EditForm>
    </Dialog>
  )
}

/** The error of all tracks, if it is the same: it concerns the form. Null for others. */
function findSharedError({ failed, count }: Each): Error | null {
  const [first] = failed
  const isShared = failed.length === count && failed.every(({ error }) => error.message === first?.error.message)
  return isShared && failed.length > 1 ? (first?.error ?? null) : null
}

interface FailedProps {
  each: Each
  text: TextName
  isNamed: boolean
}

const FailedTracks = ({ each: { failed, count }, text, isNamed }: FailedProps) =>
  failed.length > 0 && (
    <div className="failed-tracks" role="alert">
      <p>{t(text, { failed: formatNumber(failed.length), count: formatNumber(count) })}</p>
      {isNamed && (
        <ul>
          {failed.map(({ item, error }) => (
            <li key={item.id}>
              <strong>{item.title}</strong> {formatError(error)}
            </li>
          ))}
        </ul>
      )}
    </div>
  )

interface ProgressProps {
  finished: number
  count: number
  onStop: () => void
}

const Progress = ({ finished, count, onStop }: ProgressProps) => {
  const text = t('selection.progress', { done: formatNumber(finished), count: formatNumber(count) })
  return (
    <div className="run-progress">
      <ProgressBar value={finished} maxValue={count} valueLabel={text} aria-label={t('studio.loading')}>
        {({ percentage }) => <span className="fill" style={{ inlineSize: `${percentage}%` }} />}
      </ProgressBar>
      <span className="quiet">{text}</span>
      <Button onPress={onStop}>{t('selection.stop')}</Button>
    </div>
  )
}
