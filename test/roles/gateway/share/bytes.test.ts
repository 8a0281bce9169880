// Columns that the pages, feeds and oEmbed answers of share links read: only those of their content.
import { beforeAll, describe, expect, test } from 'bun:test'
import { issueKey } from '../../../../src/domain/access/key/keys.ts'
import * as database from '../../../support/administrators.ts'
import { playableTrack } from '../../../support/playable.ts'
import { useTestService } from '../../../support/service.ts'
import { watchStatements } from '../../../support/statements.ts'

const TRACKS = 20
const LONG = 100_000
/** Characters that one track may take in a list. */
const MAX_LISTED = 3_000

const service = useTestService()
let collectionId: string
let trackId: string
let apiKey: string
beforeAll(async () => {
  const { json } = await service.v1('POST', '/collection', { body: { title: 'Large' } })
  collectionId = json.collection_id
  for (let order = 0; order < TRACKS; order++) trackId = await playableTrack(service, { collectionId, order })
  await database.sql(
    service,
    `UPDATE track SET transcription = repeat('t', $2), metadata = jsonb_build_object('m', repeat('m', $2)),
       quality = jsonb_build_object('q', repeat('q', $2)), source_tags = jsonb_build_object('s', repeat('s', $2)),
       chapters = jsonb_build_array(jsonb_build_object('startSeconds', 0, 'title', repeat('c', 200))), duration_seconds = 60,
       player_title = NULL,
       info = jsonb_build_object('tags', jsonb_build_object('title', 'A title', 'artist', 'An artist', 'lyrics', repeat('l', $2)))
     WHERE collection_id = $1`,
    [collectionId, LONG],
  )
  const { id: variantId } = await service.services.db.variant.findFirstOrThrow({ where: { index: 'hq' } })
  const fields = { title: 'Of a test', variantId, collectionId }
  apiKey = (await issueKey(service.services, service.demo.organization_id, 'share', fields)).key
})

async function read(path: string): Promise<{ text: string; characters: number; statements: string[] }> {
  const watched = watchStatements(service.services.pool)
  const { text, status } = await service.request('GET', path, { key: null })
  watched.stop()
  expect(status).toBe(200)
  return { text, characters: watched.characters, statements: watched.texts }
}
const page = () => `/s/collection/${collectionId}/${apiKey}`
const oembed = (path: string) => `/oembed?url=${encodeURIComponent(service.services.config.publicUrl + path)}`

describe('no list reads long values', () => {
  test('a feed reads chapters and short values', async () => {
    const { text, characters } = await read(`${page()}/feed.xml`)
    expect(text.match(/<title>A title<\/title>/g)).toHaveLength(TRACKS)
    expect(text.match(/<podcast:chapters/g)).toHaveLength(TRACKS)
    expect(characters).toBeLessThan(TRACKS * MAX_LISTED)
  })

  test.each(['/s', '/embed'])('%s reads the transcription of the first track only', async (place) => {
    const { text, characters } = await read(page().replace('/s', place))
    expect(text.match(/"title":"A title"/g)).toHaveLength(TRACKS + 1)
    expect(text.match(/t{100000}/g)).toHaveLength(1)
    expect(characters).toBeGreaterThan(LONG)
    expect(characters).toBeLessThan(LONG + TRACKS * MAX_LISTED)
  })

  test('oEmbed reads one track, without long values', async () => {
    for (const path of [page(), `/s/${trackId}/${apiKey}`]) {
      const { text, characters } = await read(oembed(path))
      expect(JSON.parse(text).type).toBe('rich')
      expect(characters).toBeLessThan(2 * MAX_LISTED)
    }
  })

  test('a file of chapters reads no transcription', async () => {
    const { text, characters } = await read(`/s/${trackId}/${apiKey}/chapters.json`)
    expect(JSON.parse(text).chapters).toHaveLength(1)
    expect(characters).toBeLessThan(2 * MAX_LISTED)
  })
})

test('the page of a track reads its transcription, and no other long value', async () => {
  const { text, characters } = await read(`/s/${trackId}/${apiKey}`)
  expect(text).toContain('t'.repeat(LONG))
  expect(text).toContain('An artist')
  expect(characters).toBeLessThan(LONG + 3 * MAX_LISTED)
})

test('a key that is not valid reads no track', async () => {
  const other = await issueKey(service.services, service.demo.organization_id, 'share', {
    title: 'Ended',
    collectionId,
    variantId: (await service.services.db.variant.findFirstOrThrow({ where: { index: 'hq' } })).id,
  })
  await database.sql(service, 'UPDATE api_key SET revoked_at = now() WHERE id = $1', [other.record.id])
  const watched = watchStatements(service.services.pool)
  const { status } = await service.request('GET', `/s/collection/${collectionId}/${other.key}`, { key: null })
  watched.stop()
  expect(status).toBe(404)
  expect(watched.texts.filter((text) => /FROM "?track/.test(text))).toEqual([])
})
