import type { ReactNode } from 'react'
import { CopyField } from './copy-field.tsx'
import { DoneDialog } from './done-dialog.tsx'

interface Props {
  title: string
  /** Label of the secret. */
  label: string
  secret: string
  /** Names its use, and says that it is not shown again. */
  hint: string
  onClose: () => void
  /** Shown after the secret. */
  children?: ReactNode
}

/** Shows a secret that the service cannot show again. Only its button closes it. */
export const SecretDialog = ({ title, label, secret, hint, onClose, children }: Props) => (
  <DoneDialog title={title} isKept onClose={onClose}>
    <CopyField label={label} value={secret} hint={hint} />
    {children}
  </DoneDialog>
)
