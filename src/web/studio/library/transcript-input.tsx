import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { t } from '../../strings.ts'
import { Button } from '../ui/button.tsx'
import { TextInput } from '../ui/field.tsx'

/** Larger files are not read: a transcript has at most 524,288 characters. */
const MAX_FILE_BYTES = 4 << 20
/** Endings of transcripts. */
const FILE_TYPES = ['.vtt', '.srt', '.txt']

interface Props {
  label: string
  name: string
  text: string
  rows: number
}

/** The text of a transcript, typed or from a file. */
export function TranscriptInput({ text, ...field }: Props) {
  const [value, setValue] = useState(text)
  const [isTooLong, setTooLong] = useState(false)
  const read = async (files: FileList | null) => {
    const file = files?.item(0)
    if (!file) return
    setTooLong(file.size > MAX_FILE_BYTES)
    if (file.size <= MAX_FILE_BYTES) setValue(await file.text())
  }
  return (
    <div className="transcript-input">
      <TextInput
        {...field}
        value={value}
        onChange={setValue}
        hint={t(isTooLong ? 'library.transcriptTooLong' : 'library.transcriptHint')}
      />
      <FileTrigger acceptedFileTypes={FILE_TYPES} onSelect={(files) => void read(files)}>
        <Button>{t('library.transcriptFile')}</Button>
      </FileTrigger>
    </div>
  )
}
