import { useState } from 'react'
import { formatDate, t } from '../../strings.ts'
import { usePages } from '../api.ts'
import { AdministratorsDocument, type PersonFragment } from '../generated/operations.ts'
import { useIsOwner } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { EditAdministrator } from './edit-administrator.tsx'
import { Invitations } from './invitations.tsx'
import { InviteAdministrator } from './invite-administrator.tsx'

/** The administrators of the organization, whom owners manage. */
export default function Administrators() {
  const isOwner = useIsOwner()
  const [isInviting, setInviting] = useState(false)
  const [openId, setOpenId] = useState<string | null>(null)
  const pages = usePages(AdministratorsDocument, {}, (data) => data.administrators)
  const viewer = pages.first?.viewer
  const ownId = viewer && 'id' in viewer ? viewer.id : null
  const open = pages.nodes.find(({ id }) => id === openId)
  return (
    <>
      <PageHeading text={t('studio.administrators')} />
      <p className="lead">{t(isOwner ? 'administrator.leadOwner' : 'administrator.lead')}</p>
      {isOwner && (
        <div className="toolbar">
          <Button kind="primary" onPress={() => setInviting(true)}>
            {t('administrator.invite')}
          </Button>
        </div>
      )}
      <div className="administrators">
        <PagedList
          label={t('studio.administrators')}
          pages={pages}
          textOf={({ email }) => email}
          onOpen={isOwner ? setOpenId : undefined}
        >
          {(administrator) => <Row of={administrator} isOwn={administrator.id === ownId} />}
        </PagedList>
        {isOwner && <Invitations />}
      </div>
      {isInviting && <InviteAdministrator onClose={() => setInviting(false)} />}
      {open && <EditAdministrator of={open} isOwn={open.id === ownId} onClose={() => setOpenId(null)} />}
    </>
  )
}

function Row({
  of: { email, name, role, isDisabled, hasSecondFactor, lastSignInAt },
  isOwn,
}: {
  of: PersonFragment
  isOwn: boolean
}) {
  return (
    <>
      <span className="lines">
        <strong>{name ?? email}</strong>
        <span className="detail">
          {name && `${email} · `}
          {t(`administrator.role${role}`)} ·{' '}
          {lastSignInAt
            ? t('administrator.lastSignIn', { at: formatDate(lastSignInAt) })
            : t('administrator.neverSignedIn')}
        </span>
      </span>
      {isOwn && <span className="badge">{t('administrator.you')}</span>}
      {hasSecondFactor && <span className="badge">{t('administrator.secondFactor')}</span>}
      {isDisabled && <span className="badge wrong">{t('administrator.disabled')}</span>}
    </>
  )
}
