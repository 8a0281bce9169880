import { useMutation } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { FileTrigger } from 'react-aria-components'
import { t } from '../../strings.ts'
import { useRefresh, useRun } from '../api.ts'
import { useCanWrite } from '../role.ts'
import { Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { say } from '../ui/notice.tsx'
import { type CoverOwner, createCover } from './cover.ts'

/** Replaces the cover of a record with a picture. Says when that is done. */
export function useCoverUpload(owner: CoverOwner, id: string) {
  const run = useRun()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async (file: File) => {
      const cover = createCover(run, owner, id)
      return cover.isReplaced(await cover.send(file))
    },
    onSuccess: async (isReplaced) => {
      await refresh()
      say(t(isReplaced ? 'upload.coverDone' : 'upload.coverLate'))
    },
  })
}

interface CoverInputProps {
  cover: ReturnType<typeof useCoverUpload>
  /** Clicked by an action of a menu. */
  input: RefObject<HTMLInputElement | null>
}

/** The field of a file for an action of a menu, and the state of the upload. */
export const CoverInput = ({ cover, input }: CoverInputProps) => (
  <>
    <input
      ref={input}
      type="file"
      hidden
      accept="image/*"
      onChange={({ target }) => {
        const [file] = target.files ?? []
        if (file) cover.mutate(file)
        // The same file may be chosen again.
        target.value = ''
      }}
    />
    {cover.isPending && <span className="quiet">{t('upload.coverBusy')}</span>}
    <Refusal error={cover.error} />
  </>
)

/** The button that replaces the cover of a track, a collection or the organization. Viewers do not see it. */
export function CoverUpload({ owner, id }: { owner: CoverOwner; id: string }) {
  const { mutate, isPending, error } = useCoverUpload(owner, id)
  if (!useCanWrite()) return null
  return (
    <>
      <FileTrigger
        acceptedFileTypes={['image/*']}
        onSelect={(files) => {
          const [file] = files ?? []
          if (file) mutate(file)
        }}
      >
        <Button isPending={isPending}>{t(isPending ? 'upload.coverBusy' : 'upload.cover')}</Button>
      </FileTrigger>
      <Refusal error={error} />
    </>
  )
}
