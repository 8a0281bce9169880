import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { RevokeKeyDocument } from '../generated/operations.ts'
import { Confirm } from '../ui/dialog.tsx'
import { say } from '../ui/notice.tsx'

interface Props {
  of: { id: string; title: string }
  onClose: () => void
}

export function RevokeKey({ of: { id, title }, onClose }: Props) {
  const revoke = useChange(RevokeKeyDocument)
  const isRevoked = () => {
    onClose()
    say(t('access.isRevoked', { title }))
  }
  return (
    <Confirm
      title={t('access.revokeTitle', { title })}
      text={t('access.revokeText')}
      label={t('access.revoke')}
      isOpen
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ id }, { onSuccess: isRevoked })}
      onClose={onClose}
    />
  )
}
