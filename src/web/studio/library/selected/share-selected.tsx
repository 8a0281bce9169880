import { useState } from 'react'
import { Label, TextArea, TextField } from 'react-aria-components'
import { t } from '../../../strings.ts'
import { useRun } from '../../api.ts'
import { formatPreparedLink, type PreparedLink, prepareLink } from '../../link/prepare-link.ts'
import { ShareDialog } from '../../link/share-links.tsx'
import { Button } from '../../ui/button.tsx'
import { copyToClipboard } from '../../ui/copy-field.tsx'
import { DoneDialog } from '../../ui/done-dialog.tsx'
import { formatTrackCount } from '../count.ts'
import { EachDialog } from './each-dialog.tsx'
import { type ActionProps, useEach } from './use-each.ts'

/** Lines of the field with the links. More scroll. */
const MAX_ROWS = 10

/** Makes a link to each selected track, or uses the one that it has. In a collection, one link to all of it is offered. */
export function ShareSelected({ collectionId, ...props }: ActionProps & { collectionId: string | undefined }) {
  const run = useRun()
  const each = useEach(props, { isKept: true })
  const [links, setLinks] = useState<ReadonlyMap<string, PreparedLink>>(new Map())
  const [isWhole, setWhole] = useState(false)
  const { tracks } = props.selection
  if (isWhole && collectionId !== undefined) return <ShareDialog of={{ collectionId }} onClose={props.onClose} />
  const create = async () => {
    const prepared = new Map<string, PreparedLink>()
    await each.start({
      operate: async ({ id }) => prepared.set(id, await prepareLink(run, { trackId: id })),
      onDone: () => setLinks(prepared),
    })
  }
  const lines = tracks.flatMap(({ id, title }) => {
    const link = links.get(id)
    return link ? [`${title}: ${formatPreparedLink(link)}`] : []
  })
  const title = t('selection.share', { tracks: formatTrackCount(tracks.length) })
  if (lines.length > 0 && lines.length === tracks.length)
    return (
      <DoneDialog title={title} onClose={props.onClose}>
        <Links lines={lines} />
      </DoneDialog>
    )
  return (
    <EachDialog
      title={title}
      each={each}
      label={t(lines.length > 0 ? 'studio.retry' : 'selection.shareCreate')}
      failedText="selection.notShared"
      onSubmit={() => void create()}
      onClose={props.onClose}
    >
      {lines.length > 0 ? (
        <Links lines={lines} />
      ) : (
        <>
          <p>{t('selection.shareText')}</p>
          {collectionId !== undefined && (
            <Button kind="bare" className="share-whole" onPress={() => setWhole(true)}>
              {t('selection.shareCollection')}
            </Button>
          )}
        </>
      )}
    </EachDialog>
  )
}

function Links({ lines }: { lines: readonly string[] }) {
  const text = lines.join('\n')
  return (
    <TextField value={text} isReadOnly className="field copy-field">
      <Label>{t('selection.links')}</Label>
      <TextArea rows={Math.min(lines.length + 1, MAX_ROWS)} wrap="off" />
      <Button className="copy-links" onPress={() => void copyToClipboard(text)}>
        {t('selection.copyLinks')}
      </Button>
    </TextField>
  )
}
