import { FileTrigger } from 'react-aria-components'
import { formatNumber, t } from '../../strings.ts'
import { formatNames } from '../../upload/drop-zone.tsx'
import { chooseListed, recordingTypes } from '../../upload/files.ts'
import type { UnfinishedUpload } from '../../upload/memory.ts'
import { Button } from '../ui/button.tsx'
import { say } from '../ui/notice.tsx'
import { useUploads } from './uploads-context.tsx'

/** Uploads that a reload or a closed tab has interrupted. The browser needs their files again. */
export function Interrupted({ uploads }: { uploads: readonly UnfinishedUpload[] }) {
  const { queue, memory, resume } = useUploads()
  function take(files: FileList | null) {
    const others = resume(chooseListed(files ?? []).files)
    if (others.length > 0) say(t('upload.notInterrupted', { names: formatNames(others.map(({ name }) => name)) }))
  }
  const count = uploads.length
  return (
    <div className="upload-interrupted">
      <p>
        {t(count === 1 ? 'upload.interruptedOne' : 'upload.interrupted', { count: formatNumber(count) })}{' '}
        <span className="quiet">{formatNames(uploads.map(({ fileName }) => fileName))}</span>
      </p>
      <div className="actions">
        <FileTrigger allowsMultiple acceptedFileTypes={recordingTypes.split(',')} onSelect={take}>
          <Button>{t('upload.chooseAgain')}</Button>
        </FileTrigger>
        <Button onPress={() => queue.discard(memory.dismiss())}>{t('upload.forget')}</Button>
      </div>
    </div>
  )
}
