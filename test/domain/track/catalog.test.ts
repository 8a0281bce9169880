// Names and numbers of a track: those of its recording's tags, and those that a client has set.
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readTrackTags } from '../../../src/domain/track/catalog/effective.ts'
import { createForeign } from '../../spec/support.ts'
import { data, post, signIn } from '../../support/administrators.ts'
import { playableTrack } from '../../support/playable.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()
const CONTROLS = '\u0001\u001b\r\n\t\u0085'
let owner: string
let id: string
beforeAll(async () => {
  owner = (await signIn(service)).token
})
beforeEach(async () => {
  id = await playableTrack(service)
})

const FIELDS = 'title artist album trackNumber discNumber isrc year'
const read = async () => (await data(service, `query ($id: ID!) { track(id: $id) { ${FIELDS} } }`, { id }, owner)).track
const UPDATE = `mutation ($id: ID!, $input: UpdateTrackInput!) {
  updateTrack(id: $id, input: $input) { track { ${FIELDS} playerTitle playerSubtitle } } }`
const update = async (input: object) => (await data(service, UPDATE, { id, input }, owner)).updateTrack.track
const setTags = (tags: Record<string, string>) =>
  service.services.db.track.update({ where: { id }, data: { info: { tags }, fileNameOriginal: 'music/01 Song.wav' } })
const count = async (search: string) =>
  (await data(service, 'query ($s: String) { tracks(filter: { search: $s }) { totalCount } }', { s: search }, owner))
    .tracks.totalCount

const tags = {
  title: 'First Light',
  artist: 'Marta Vögel',
  album: 'Night Bakery',
  track: '01/12',
  disc: '2/2',
  tsrc: 'de-x26-26-00417',
  date: '2024-05-01',
}
const ofTags = {
  title: 'First Light',
  artist: 'Marta Vögel',
  album: 'Night Bakery',
  trackNumber: 1,
  discNumber: 2,
  isrc: 'DEX262600417',
  year: 2024,
}
const empty = { artist: null, album: null, trackNumber: null, discNumber: null, isrc: null, year: null }

describe('the fields of a track', () => {
  test('are those of the tags; a value that was set takes precedence, and null returns to the tag', async () => {
    await setTags(tags)
    expect(await read()).toEqual(ofTags)
    const setValues = {
      title: 'Mine',
      artist: 'By me',
      album: 'Singles',
      trackNumber: 100_000,
      discNumber: 1,
      isrc: 'us-abc-99-12345',
      year: 9999,
    }
    const stored = { ...setValues, isrc: 'USABC9912345' }
    expect(await update(setValues)).toEqual({ ...stored, playerTitle: 'Mine', playerSubtitle: 'By me' })
    await setTags({ ...tags, title: 'Another' })
    expect(await read()).toEqual(stored)
    const nothing = Object.fromEntries(Object.keys(setValues).map((name) => [name, null]))
    expect(await update(nothing)).toEqual({ ...ofTags, title: 'Another', playerTitle: null, playerSubtitle: null })
    expect(await update({ artist: '', album: '' })).toMatchObject({ artist: null, album: null })
  })

  test('without tags are null, and the title is the name of the file without folders and extension', async () => {
    await setTags({})
    expect(await read()).toEqual({ ...empty, title: '01 Song' })
  })

  test.each([
    ['title', { title: 'x', playerTitle: 'y' }, 'title: must not be set together with playerTitle'],
    ['artist', { artist: null, playerSubtitle: 'y' }, 'artist: must not be set together with playerSubtitle'],
    ['a long album', { album: 'x'.repeat(1025) }, 'album: must'],
    ['number 0', { trackNumber: 0 }, 'trackNumber: must'],
    ['a large number', { discNumber: 100_001 }, 'discNumber: must'],
    ['an ISRC', { isrc: 'DEX26260041' }, 'isrc: must be an ISRC such as DEX262600417'],
    ['a year', { year: 10_000 }, 'year: must'],
  ])('refuse %s', async (_, input, message) => {
    const { errors } = await post(service, UPDATE, { id, input }, { key: owner }).then(({ json }) => json)
    expect(errors[0].message).toContain(message)
  })
})

describe('tags of any content', () => {
  test.each([
    ['no numbers', { track: 'A1', disc: '', date: 'soon', isrc: 'none' }, {}],
    ['numbers out of range', { track: '0/12', disc: '1000000', date: '20240501' }, {}],
    ['several ISRCs', { isrc: 'DEX262600417; DEX262600418' }, { isrc: 'DEX262600417' }],
    [
      'names of other containers',
      { tracknumber: '7', year: '1999', discnumber: '03' },
      { trackNumber: 7, year: 1999, discNumber: 3 },
    ],
    ['controls', { title: `a${CONTROLS}b`, album: CONTROLS }, { title: 'a b' }],
  ])('%s', (_, values, expected) => {
    expect(readTrackTags({ tags: values })).toEqual({ ...empty, title: null, ...expected })
  })

  test('are stored and found: long, of controls, of marks and half characters', async () => {
    const long = `${'\ufdfa'.repeat(1000)} ${'\u0300'.repeat(1000)} needle`
    await setTags({ title: long, artist: `${CONTROLS}Needle${CONTROLS}work`, album: '\u200f\u2067\ufffd' })
    expect((await read()).artist).toBe('Needle work')
    expect(await count('needle needle')).toBe(1)
    await service.services.db.track.update({ where: { id }, data: { info: { tags: { title: 'Afterwards' } } } })
    expect([await count('needle'), await count('afterwards')]).toEqual([0, 1])
  })
})

describe('lists of tracks', () => {
  const LIST = `query ($id: ID!, $orderBy: TrackOrder!, $after: String) { collection(id: $id) {
    tracks(first: 1, after: $after, orderBy: $orderBy) { nodes { id title } pageInfo { endCursor hasNextPage } } } }`

  /** IDs of all tracks of the collection, from pages of one. */
  async function list(field: string, direction = 'ASC') {
    const ids: string[] = []
    let after: string | null = null
    for (;;) {
      const variables: object = { id: service.demo.collection_id, orderBy: { field, direction }, after }
      const { tracks } = (await data(service, LIST, variables, owner)).collection
      ids.push(tracks.nodes[0].id)
      if (!tracks.pageInfo.hasNextPage) return ids
      after = tracks.pageInfo.endCursor
    }
  }

  test('are ordered by title, artist and duration, as these are shown, regardless of case and marks', async () => {
    const { db } = service.services
    const rows = [
      { playerTitle: ' ', info: {}, fileNameOriginal: 'b/Älter.v2.wav', durationSeconds: null },
      { playerTitle: 'bolero', info: { tags: { artist: 'ána' } }, durationSeconds: 3 },
      { playerTitle: null, info: { tags: { title: 'Zorn', artist: 'Zoe' } }, playerSubtitle: 'Bo', durationSeconds: 1 },
      { playerTitle: null, info: { tags: { title: 'Camille' } }, playerSubtitle: 'anton', durationSeconds: 2 },
    ]
    const ids = [id, ...(await Promise.all(rows.slice(1).map(() => playableTrack(service))))]
    await db.track.updateMany({ where: { id: { notIn: ids } }, data: { deletedAt: new Date() } })
    for (const [at, row] of rows.entries()) await db.track.update({ where: { id: ids[at] }, data: row })
    const order = async (field: string, direction?: string) =>
      (await list(field, direction)).map((track) => ids.indexOf(track))
    expect(await order('TITLE')).toEqual([0, 1, 3, 2])
    expect(await order('TITLE', 'DESC')).toEqual([2, 3, 1, 0])
    expect(await order('ARTIST')).toEqual([0, 1, 3, 2])
    expect(await order('DURATION')).toEqual([2, 3, 1, 0])
    expect(await order('DURATION', 'DESC')).toEqual([0, 1, 3, 2])
  })

  test('are ordered by the beginning of a title of any length', async () => {
    await setTags({ title: '\ufdfa'.repeat(1000) })
    expect(await list('TITLE')).toContain(id)
  })
})

test('keys of metadata are those that the latest records use, most used first', async () => {
  const read = async (key: string) => (await data(service, '{ metadataKeys }', {}, key)).metadataKeys
  const other = await playableTrack(service)
  const { db } = service.services
  await db.track.update({ where: { id }, data: { metadata: { label: 'a', mood: { b: 1 } } } })
  await db.track.update({ where: { id: other }, data: { metadata: { label: 'c' } } })
  await db.collection.update({
    where: { id: service.demo.collection_id },
    data: { metadata: { catalog: 1, label: null } },
  })
  expect(await read(owner)).toEqual(['label', 'catalog', 'mood'])
  await db.track.update({ where: { id }, data: { deletedAt: new Date() } })
  expect(await read(owner)).toEqual(['label', 'catalog'])
  expect(await read((await createForeign(service)).key)).toEqual([])
})
