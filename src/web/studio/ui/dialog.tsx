import { type FormEvent, type ReactNode, useState } from 'react'
import { Dialog as AriaDialog, FormValidationContext, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { ApiError } from '../../session/api.ts'
import { t } from '../../strings.ts'
import { Refusal } from './answer.tsx'
import { Button } from './button.tsx'

interface DialogProps {
  title: string
  isOpen: boolean
  onClose: () => void
  /** Whether only a button closes it, because what it shows is lost then. Defaults to false. */
  isKept?: boolean
  children: ReactNode
}

export function Dialog({ title, isOpen, onClose, isKept = false, children }: DialogProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!isKept}
      isKeyboardDismissDisabled={isKept}
      className="overlay"
    >
      <Modal className="modal">
        <AriaDialog className="dialog">
          <Heading slot="title">{title}</Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** The field that a refusal names: `title: must have at most 200 characters`. */
const matchField = (error: Error) => /^(\w+): (.+)$/s.exec(error.message)

interface FormProps {
  /** Called with the fields. The form stays busy until it settles. */
  onSubmit: (fields: FormData) => void
  onCancel?: () => void
  isBusy: boolean
  error: Error | null
  label?: string
  /** Whether the change removes something. Defaults to false. */
  isDanger?: boolean
  children: ReactNode
}

/** Fields with one button. A refusal is shown at the field that it names, or else above the button. */
export function EditForm({ onSubmit, onCancel, isBusy, error, isDanger, children, ...props }: FormProps) {
  const { label = t('studio.save') } = props
  // A refusal ends with the next change: on leaving the field it would move the button that is being pressed.
  const [changed, setChanged] = useState<Error | null>(null)
  const currentError = error === changed ? null : error
  const [names, setNames] = useState<readonly string[]>([])
  const named = currentError instanceof ApiError ? matchField(currentError) : null
  const [, field = '', rule = ''] = named ?? []
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const fields = new FormData(event.currentTarget)
    setNames([...fields.keys()])
    onSubmit(fields)
  }
  return (
    <form onSubmit={send} onInput={() => setChanged(error)} className="form">
      <FormValidationContext value={named ? { [field]: rule } : {}}>{children}</FormValidationContext>
      <Refusal error={currentError} isAtField={names.includes(field)} />
      <div className="actions">
        <Button type="submit" kind={isDanger ? 'danger' : 'primary'} isPending={isBusy}>
          {label}
        </Button>
        {onCancel && <Button onPress={onCancel}>{t('studio.cancel')}</Button>}
      </div>
    </form>
  )
}

interface ConfirmProps {
  title: string
  text: string
  /** Label of the button that carries it out. */
  label: string
  isOpen: boolean
  isBusy: boolean
  error: Error | null
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something is removed. */
export function Confirm({ title, text, label, isOpen, isBusy, error, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <p>{text}</p>
      <Refusal error={error} />
      <div className="actions">
        <Button kind="danger" onPress={onConfirm} isPending={isBusy}>
          {label}
        </Button>
        <Button onPress={onClose}>{t('studio.cancel')}</Button>
      </div>
    </Dialog>
  )
}
