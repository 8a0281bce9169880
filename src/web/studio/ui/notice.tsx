import {
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import { t } from '../../strings.ts'
import { Button } from './button.tsx'

interface Notice {
  text: string
  /** A button next to the text, such as undo. */
  action?: { label: string; run: () => void }
}

const MAX_SHOWN = 3
const SHOWN_MS = 8000
const queue = new ToastQueue<Notice>({ maxVisibleToasts: MAX_SHOWN })

/** Shows a short notice at the edge of the window, for eight seconds or until it is closed. */
export const say = (text: string, action?: Notice['action']): void =>
  void queue.add({ text, action }, { timeout: SHOWN_MS })

export const Notices = () => (
  <ToastRegion queue={queue} className="notices">
    {({ toast }) => (
      <Toast toast={toast} className="notice">
        <Text slot="title">{toast.content.text}</Text>
        {toast.content.action && (
          <Button
            onPress={() => {
              toast.content.action?.run()
              queue.close(toast.key)
            }}
          >
            {toast.content.action.label}
          </Button>
        )}
        <Button slot="close">{t('studio.close')}</Button>
      </Toast>
    )}
  </ToastRegion>
)
