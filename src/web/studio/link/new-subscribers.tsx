import { useState } from 'react'
import { formatNumber, t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { numberOrNull, readText } from '../form-values.ts'
import { CreateShareKeyDocument, type LinkVariantFragment } from '../generated/operations.ts'
import { Dialog, EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { say } from '../ui/notice.tsx'
import { VariantChoice } from './variant-choice.tsx'

/** Maximum number of subscribers that one press creates: each is a request. */
const MAX_LINES = 200

interface Props {
  collectionId: string
  variants: readonly LinkVariantFragment[]
  onCreated: () => void
  onClose: () => void
}

/** Creates a feed for each line. After a refusal the lines that are missing stay. */
export function NewSubscribers({ collectionId, variants, onCreated, onClose }: Props) {
  const { mutateAsync, isPending, error } = useChange(CreateShareKeyDocument)
  const [text, setText] = useState('')
  const [isTooLong, setTooLong] = useState(false)
  const send = async (fields: FormData) => {
    const names = [...new Set(text.split('\n').map((line) => line.trim()))].filter(Boolean)
    setTooLong(names.length > MAX_LINES)
    if (names.length > MAX_LINES) return
    const [variant, maxDailyListeners] = [readText(fields, 'variants'), numberOrNull(fields, 'maxDailyListeners')]
    for (const [at, title] of names.entries()) {
      await mutateAsync({ input: { title, collectionId, variant, maxDailyListeners, isPrivateFeed: true } })
      setText(names.slice(at + 1).join('\n'))
    }
    onCreated()
    onClose()
    say(t('feeds.isCreated', { count: formatNumber(names.length) }))
  }
  return (
    <Dialog title={t('feeds.add')} isOpen onClose={onClose}>
      <EditForm
        // The form shows the refusal.
        onSubmit={(fields) => void send(fields).catch(onCreated)}
        onCancel={onClose}
        isBusy={isPending}
        error={error}
        label={t('feeds.create')}
      >
        <TextInput
          label={t('feeds.names')}
          name="names"
          hint={t('feeds.namesHint', { max: formatNumber(MAX_LINES) })}
          rows={6}
          value={text}
          onChange={setText}
          isRequired
        />
        {isTooLong && (
          <p className="problem" role="alert">
            {t('feeds.tooMany', { max: formatNumber(MAX_LINES) })}
          </p>
        )}
        <VariantChoice variants={variants} />
        <TextInput
          label={t('link.maxDailyListeners')}
          name="maxDailyListeners"
          type="number"
          hint={t('feeds.listenersHint')}
        />
      </EditForm>
    </Dialog>
  )
}
