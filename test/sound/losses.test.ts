// Every format with a part missing, zeros in it, or other bytes: the loss is named, or the table has the reason why it
// cannot be found. Whole recordings have no note.
import { describe, expect, test } from 'bun:test'
import { lossRows, lossTable, reasons } from './losses.ts'
import { useUploads } from './uploads.ts'

const uploaded = useUploads(lossTable)

/** Codes of a track that has lost a part of its sound: refused, or with a note. */
const codes = {
  ready: ['truncated', 'end_missing', 'damaged'],
  error: ['truncated', 'decoder_failed'],
  init_error: ['truncated', 'corrupted', 'decoder_failed', 'not_audio', 'no_sound'],
}

describe('is named', () => {
  test.concurrent.each(lossRows.filter(({ loss, reason }) => loss !== 'whole' && reason === null))('$name', (row) => {
    const { track_status_id: status, status_code: code, status_text: text } = uploaded(row).track
    expect(codes[status as keyof typeof codes], `${status} ${code}`).toContain(code)
    expect(text).toMatch(/\.$/)
  })
})

describe('is whole', () => {
  test.concurrent.each(lossRows.filter(({ loss }) => loss === 'whole'))('$format', (row) => {
    const { track_status_id: status, status_code: code } = uploaded(row).track
    expect([status, code]).toEqual(['ready', null])
  })
})

describe.each(Object.entries(reasons))('%s: %s', (reason) => {
  test.concurrent.each(lossRows.filter((row) => row.reason === reason))('$name', (row) => {
    const { track_status_id: status, status_code: code } = uploaded(row).track
    expect([status, code]).toEqual(['ready', null])
  })
})
