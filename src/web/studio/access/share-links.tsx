import { useState } from 'react'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { ShareCollectionDocument, ShareTrackDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Answered } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ShareForm, useCreateLink } from './share-form.tsx'

/** The ID of a track or of a collection. */
export type Shareable = { trackId: string; collectionId?: undefined } | { collectionId: string; trackId?: undefined }

/** The button "Share…" of a track or a collection, with its dialog. Viewers may not create keys and do not see it. */
export function ShareLinks(subject: Shareable) {
  const [isOpen, setOpen] = useState(false)
  if (!useCanWrite()) return null
  return (
    <>
      <Button onPress={() => setOpen(true)}>{t('access.share')}</Button>
      {isOpen && <ShareDialog of={subject} onClose={() => setOpen(false)} />}
    </>
  )
}

export function ShareDialog({ of: subject, onClose }: { of: Shareable; onClose: () => void }) {
  const create = useCreateLink()
  // The key of a new link is shown once.
  const isKept = create.isPending || create.isSuccess
  return (
    <Dialog title={t('access.shareTitle')} isOpen onClose={onClose} isKept={isKept}>
      {subject.trackId === undefined ? (
        <OfCollection id={subject.collectionId} create={create} onClose={onClose} />
      ) : (
        <OfTrack id={subject.trackId} create={create} onClose={onClose} />
      )}
    </Dialog>
  )
}

interface SubjectProps {
  id: string
  create: ReturnType<typeof useCreateLink>
  onClose: () => void
}

function OfCollection({ id, ...form }: SubjectProps) {
  const answer = useData(ShareCollectionDocument, { id })
  return (
    <Answered of={answer}>
      {({ collection }) =>
        collection && (
          <ShareForm subject={{ kind: 'collection', id, title: collection.title }} collectionId={id} {...form} />
        )
      }
    </Answered>
  )
}

const PLAYED = ['TRANSCODE', 'PREVIEW', 'ORIGINAL']

function OfTrack({ id, ...form }: SubjectProps) {
  const answer = useData(ShareTrackDocument, { id })
  return (
    <Answered of={answer}>
      {({ track }) =>
        track && (
          <ShareForm
            subject={{ kind: 'track', id, title: track.playerTitle ?? track.fileName }}
            collectionId={track.collectionId}
            variants={track.files.flatMap(({ isSuccess, variant }) =>
              isSuccess && PLAYED.includes(variant.variantTypeId) ? [{ id: variant.id, text: variant.index }] : [],
            )}
            {...form}
          />
        )
      }
    </Answered>
  )
}
