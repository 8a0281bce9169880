// Files of a drop are compared with recordings of the same size, and with each other.
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { findDuplicates, type Recording } from '../../src/web/studio/upload/find-duplicates.ts'

const chosen = (name: string, text: string) => ({ name, file: new File([text], name) })
const recording = (title: string, text: string): Recording => ({
  trackId: `id of ${title}`,
  title,
  collectionTitle: null,
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
})

async function decide(files: ReturnType<typeof chosen>[], recordings: readonly Recording[]) {
  const requests: number[][] = []
  const decisions: [string, string | null][] = []
  const findBySize = async (sizes: number[]) => {
    requests.push(sizes)
    return recordings.filter(({ bytes }) => sizes.includes(bytes))
  }
  for await (const { file, original } of findDuplicates(files, findBySize))
    decisions.push([file.name, original?.title ?? null])
  return { decisions, requests }
}

describe('files', () => {
  test('are equal to a recording of the same content, not of the same size', async () => {
    const files = [chosen('one', 'abc'), chosen('two', 'abd'), chosen('three', 'abcd')]
    const { decisions } = await decide(files, [recording('Song', 'abc')])
    expect(decisions).toEqual([
      ['one', 'Song'],
      ['two', null],
      ['three', null],
    ])
  })

  test('that are twice in a drop are found once', async () => {
    const { decisions } = await decide([chosen('one', 'abc'), chosen('two', 'abc'), chosen('other', 'abd')], [])
    expect(decisions).toEqual([
      ['one', null],
      ['two', 'one'],
      ['other', null],
    ])
  })

  test('that are three times in a drop name the first, also next to a recording of their size', async () => {
    const files = [chosen('one', 'abc'), chosen('two', 'abc'), chosen('three', 'abc')]
    for (const recordings of [[], [recording('Song', 'abd')]]) {
      const { decisions } = await decide(files, recordings)
      expect(decisions.map(([, title]) => title)).toEqual([null, 'one', 'one'])
    }
  })

  test('of many sizes are asked for in requests of 100', async () => {
    const files = Array.from({ length: 201 }, (_, at) => chosen(`${at}`, 'x'.repeat(at + 1)))
    const { decisions, requests } = await decide(files, [recording('Last', 'x'.repeat(201))])
    expect(requests.map(({ length }) => length)).toEqual([100, 100, 1])
    expect(decisions.filter(([, title]) => title)).toEqual([['200', 'Last']])
  })

  test('are new where the service does not answer, and where a recording has no hash yet', async () => {
    const files = [chosen('one', 'abc')]
    const failing = findDuplicates(files, () => Promise.reject(new Error('unreachable')))
    expect((await failing.next()).value).toMatchObject({ original: null })
    expect((await decide(files, [{ ...recording('Song', 'abc'), sha256: null }])).decisions).toEqual([['one', null]])
  })
})
