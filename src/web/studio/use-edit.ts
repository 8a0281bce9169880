import { t } from '../strings.ts'
import { useChange } from './api.ts'
import type { TypedDocumentString } from './generated/operations.ts'
import { say } from './ui/notice.tsx'

/**
 * A change of a record by a form. A saved record is reported, and closes the form.
 * @param onClose called by `close`, which also forgets the last error
 */
export function useEdit<Result, Input>(
  document: TypedDocumentString<Result, { id: string; input: Input }>,
  id: string,
  onClose = () => {},
) {
  const { mutate, isPending, error, reset } = useChange(document)
  const close = () => {
    reset()
    onClose()
  }
  const onSuccess = () => {
    say(t('studio.saved'))
    close()
  }
  return { save: (input: Input) => mutate({ id, input }, { onSuccess }), close, isBusy: isPending, error }
}
