// Pictures that are drawn for links without a cover: bounds of the work.
import { expect, test } from 'bun:test'
import { createDrawnCovers } from '../../../../src/roles/gateway/share/drawn-cover.ts'
import type { Shared } from '../../../../src/roles/gateway/share/subject.ts'

const colors = { theme: [], chosen: '#123456', fallback: '#5b5bd6' }
/** A track of an organization, each with its own waveform. */
const sharedTrack = (organizationId: string, loudness: number) =>
  ({ track: { organizationId, levels: [loudness, 1], colors } }) as unknown as Shared

test('an organization has ten pictures waiting at most, and one of another organization is drawn', async () => {
  const draw = createDrawnCovers()
  const many = Array.from({ length: 12 }, (_, n) => draw(sharedTrack('one', n / 100), 'icon'))
  const other = draw(sharedTrack('another', 0.5), 'icon')
  const results = await Promise.allSettled(many)
  expect(results.map(({ status }) => status)).toEqual([...Array(10).fill('fulfilled'), 'rejected', 'rejected'])
  expect((await other).length).toBeGreaterThan(100)
  // A picture that was refused is drawn by the next request.
  expect((await draw(sharedTrack('one', 0.11), 'icon')).length).toBeGreaterThan(100)
})

test('the same picture is drawn once', async () => {
  const draw = createDrawnCovers()
  const [first, second] = await Promise.all([0, 1].map(() => draw(sharedTrack('one', 0.5), 'icon')))
  expect(first).toBe(second as Uint8Array<ArrayBuffer>)
  expect(await draw(sharedTrack('one', 0.5), 'icon')).toBe(first as Uint8Array<ArrayBuffer>)
  expect(await draw(sharedTrack('one', 0.6), 'icon')).not.toBe(first as Uint8Array<ArrayBuffer>)
})
