import type { ReactNode } from 'react'
import { t } from '../../strings.ts'
import { Button } from './button.tsx'
import { CopyField } from './copy-field.tsx'
import { Dialog } from './dialog.tsx'

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
  <Dialog title={title} isOpen isKept onClose={onClose}>
    <div className="form">
      <CopyField label={label} value={secret} hint={hint} />
      {children}
      <div className="actions">
        <Button kind="primary" onPress={onClose}>
          {t('studio.done')}
        </Button>
      </div>
    </div>
  </Dialog>
)
