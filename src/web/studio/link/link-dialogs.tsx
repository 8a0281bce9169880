import { t } from '../../strings.ts'
import { RevokeKey } from '../access/revoke-key.tsx'
import type { LinkRowFragment as Link } from '../generated/operations.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { DoneDialog } from '../ui/done-dialog.tsx'
import { EditLink } from './edit-link.tsx'
import { type LinkAction, titleOfLink } from './link-row.tsx'
import { LinkShown } from './link-shown.tsx'
import { findSubject } from './subject.ts'

/** The dialog of an action. */
export function LinkDialogs({ action, onClose }: { action: LinkAction | null; onClose: () => void }) {
  if (!action) return null
  const { kind, link } = action
  if (kind === 'revoke') return <RevokeKey of={{ id: link.id, title: titleOfLink(link) }} onClose={onClose} />
  if (kind === 'edit') return <EditLink of={link} onClose={onClose} />
  return (
    <DoneDialog title={titleOfLink(link)} onClose={onClose}>
      {link.shareKey !== null && <LinkForms link={link} apiKey={link.shareKey} />}
    </DoneDialog>
  )
}

/** A link in all its forms, or the key that opens every track. */
export function LinkForms({ link, apiKey }: { link: Pick<Link, 'trackId' | 'track' | 'collection'>; apiKey: string }) {
  const subject = findSubject(link)
  return subject ? (
    <LinkShown {...subject} apiKey={apiKey} />
  ) : (
    <CopyField label={t('access.key')} value={apiKey} hint={t('link.ofEverything')} />
  )
}
