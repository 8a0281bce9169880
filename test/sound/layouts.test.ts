// Recordings with two channels and more, by the layout of their speakers. The files are decoded by ffmpeg.
import { describe, expect, test } from 'bun:test'
import { expectInMono, expectInStereo, TONE_SECONDS } from '../support/layouts.ts'
import { probe } from './decode.ts'
import { layoutRecordings, layoutTable } from './layouts.ts'
import { useUploads } from './uploads.ts'

const uploaded = useUploads(layoutTable)

describe('keeps its channels', () => {
  test.concurrent.each(layoutRecordings)('$name', async (row) => {
    const { track, bytes } = uploaded(row)
    expect(track).toMatchObject({ track_status_id: 'ready', status_code: null })
    const { channels } = await probe(bytes, row.name)
    expect([track.info.channels, channels]).toEqual([row.shares.length, row.shares.length])
    expect(Math.abs(track.duration - TONE_SECONDS)).toBeLessThan(0.04)
  })
})

describe('has every channel on its side, as loud as BS.775 says', () => {
  test.concurrent.each(layoutRecordings)('$name', async (row) => {
    await expectInStereo(uploaded(row).file('mp3'), row.shares, row)
  })
})

describe('has every channel in mono, as loud as BS.775 says', () => {
  test.concurrent.each(layoutRecordings)('$name', async (row) => {
    await expectInMono(uploaded(row).file('mono'), row.shares, row)
  })
})
