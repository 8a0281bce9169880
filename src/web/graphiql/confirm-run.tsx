import { type Ref, useId, useImperativeHandle, useRef, useState } from 'react'
import type { Example } from './example.ts'

export interface Confirmation {
  /** Asks the person. Resolves with false when the question is dismissed. */
  ask: (example: Example) => Promise<boolean>
}

/** A question before an example that writes is run as it is. */
export function ConfirmRun({ ref, organization }: { ref: Ref<Confirmation>; organization: string | null }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const answer = useRef<(may: boolean) => void>(() => {})
  const [example, setExample] = useState<Example | null>(null)
  const title = useId()
  useImperativeHandle(ref, () => ({
    ask(nextExample) {
      setExample(nextExample)
      if (dialog.current) dialog.current.returnValue = ''
      dialog.current?.showModal()
      return new Promise((resolve) => {
        answer.current = resolve
      })
    },
  }))
  const close = (value: string) => dialog.current?.close(value)
  return (
    <dialog
      ref={dialog}
      className="confirm"
      aria-labelledby={title}
      onClose={() => answer.current(dialog.current?.returnValue === 'run')}
    >
      <h2 id={title}>Run this example?</h2>
      <p>
        “{example?.group}: {example?.title}” changes {organization ?? 'the organization'} with the values of the
        example. {example?.description}
      </p>
      <div className="choices">
        <button type="button" onClick={() => close('')}>
          Cancel
        </button>
        <button type="button" className="primary" onClick={() => close('run')}>
          Run
        </button>
      </div>
    </dialog>
  )
}
