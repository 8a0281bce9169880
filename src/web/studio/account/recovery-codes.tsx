import { t } from '../../strings.ts'
import { Button } from '../ui/button.tsx'
import { copyToClipboard } from '../ui/copy-field.tsx'
import { DoneDialog } from '../ui/done-dialog.tsx'

/** Shows new recovery codes, once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n')
  return (
    <DoneDialog title={t('account.recoveryCodes')} isKept onClose={onClose}>
      <p>{t('account.recoveryCodesText')}</p>
      <ol className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className="actions">
        <Button onPress={() => void copyToClipboard(text)}>{t('studio.copy')}</Button>
        <a
          className="button plain"
          download="tonearm-recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
        >
          {t('account.downloadCodes')}
        </a>
      </div>
    </DoneDialog>
  )
}
