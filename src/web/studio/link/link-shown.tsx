import { t } from '../../strings.ts'
import { CopyField } from '../ui/copy-field.tsx'
import { QrCode } from './qr-code.tsx'
import { formatAddresses, type Subject } from './share-address.ts'

/** A share link in all its forms. */
export const LinkShown = ({ apiKey, ...subject }: Subject & { apiKey: string }) => (
  <>
    <CopyField
      label={t('access.link')}
      value={formatAddresses(subject, apiKey, location.origin).link}
      hint={t('access.linkHint')}
    />
    <OtherForms {...subject} apiKey={apiKey} />
  </>
)

/** A share link as code for a site, feed and QR code. */
export function OtherForms({ apiKey, ...subject }: Subject & { apiKey: string }) {
  const { link, embed, feed } = formatAddresses(subject, apiKey, location.origin)
  return (
    <>
      <CopyField label={t('access.embed')} value={embed} hint={t('access.embedHint')} />
      {feed && <CopyField label={t('access.feed')} value={feed} hint={t('access.feedHint')} />}
      <QrCode text={link} label={t('access.qrCode', { title: subject.title })} />
      <a href={link} target="_blank" rel="noopener">
        {t('access.openLink')}
      </a>
      {feed && (
        <a href={feed} target="_blank" rel="noopener">
          {t('access.openFeed')}
        </a>
      )}
    </>
  )
}
