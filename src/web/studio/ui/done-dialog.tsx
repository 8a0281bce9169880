import type { ReactNode } from 'react'
import { t } from '../../strings.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  onClose: () => void
  /** Whether only its button closes it. Defaults to false. */
  isKept?: boolean
  children: ReactNode
}

/** An open dialog that shows something, with one button that closes it. */
export const DoneDialog = ({ title, onClose, isKept, children }: Props) => (
  <Dialog title={title} isOpen isKept={isKept} onClose={onClose}>
    <div className="form">
      {children}
      <div className="actions">
        <Button kind="primary" onPress={onClose}>
          {t('studio.done')}
        </Button>
      </div>
    </div>
  </Dialog>
)
