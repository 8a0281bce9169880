import { beforeAll, describe, expect, test } from 'bun:test'
import { sealSecret } from '../../../src/domain/delivery/secret.ts'
import { toCoverImage } from '../../../src/domain/organization/cover/public.ts'
import { makeMedia } from '../../support/audio.ts'
import { measureImage } from '../../support/image.ts'
import { stripes } from '../../support/picture.ts'
import { processed } from '../../support/processed.ts'
import { type Json, useTestService } from '../../support/service.ts'

type Bytes = Uint8Array<ArrayBuffer>
const service = useTestService()
let organizationId: string
let collectionId: string
/** A track with a cover of its own, and one without. */
let tracks: { red: string; bare: string }
const [blue, green] = [stripes(300, [[400, [0, 0, 250]]]), stripes(300, [[300, [0, 250, 0]]])]

beforeAll(async () => {
  const index = { notIn: ['hq', 'cover'] }
  await service.services.db.variant.updateMany({ where: { index }, data: { deletedAt: new Date() } })
  organizationId = service.demo.organization_id
  collectionId = service.demo.collection_id
  const picture = ['-f', 'lavfi', '-i', 'color=c=red:s=300x300:d=1:r=1']
  const sound = ['-f', 'lavfi', '-i', 'sine=d=1']
  const attached = ['-map', '0', '-map', '1', '-frames:v', '1', '-c:v', 'mjpeg', '-disposition:v', 'attached_pic']
  const withRed = await makeMedia([...sound, ...picture, ...attached], 'mp3')
  const bare = (await processed(service, await makeMedia(sound, 'mp3'), 'bare.mp3')).id
  tracks = { red: (await processed(service, withRed, 'red.mp3')).id, bare }
}, 60_000)

async function send(handle: Json, body: Bytes): Promise<void> {
  expect((await service.fetchEdge(handle.upload_url ?? handle.uploadUrl, { method: 'POST', body })).status).toBe(200)
  await service.runJobs()
}
const image = '{ url width height type webp { url width height type webp { url } } }'
const theme = 'theme { hex } effectiveTheme { hex }'

/** The owners of the covers, and the themes, that apply to both tracks, their collection and the organization. */
async function readCovers() {
  const { data, errors } = await service.graphql(`{
    red: track(id: "${tracks.red}") { coverImage { small ${image} } ${theme} }
    bare: track(id: "${tracks.bare}") { coverImage { small ${image} } ${theme} }
    collection(id: "${collectionId}") { coverImage { small ${image} } ${theme} }
    organization(id: "${organizationId}") { coverImage { small ${image} } theme { hex } }
  }`)
  expect(errors).toBeUndefined()
  const nameOf = (url: string | undefined) => {
    if (url === undefined) return null
    const [first, second] = new URL(url).pathname.slice(1).split('/')
    if (first === organizationId && second?.startsWith('cover')) return 'organization'
    return url.includes(`${collectionId}/cover`) ? 'collection' : 'track'
  }
  const covers = [data.red, data.bare, data.collection, data.organization].map(({ coverImage }) =>
    nameOf(coverImage?.small.url),
  )
  const themes = [data.red, data.bare, data.collection].map(({ effectiveTheme }) => effectiveTheme[0]?.hex ?? null)
  return { covers, themes, data }
}

/** Sets whether the organization's and the collection's covers and themes may be overridden. */
async function restrict(who: { organization?: boolean; collection?: boolean }) {
  const flags = (isRestricted = false) => ({
    is_cover_overridable: !isRestricted,
    is_theme_overridable: !isRestricted,
  })
  await service.v1('PUT', `/organization/${organizationId}`, { body: flags(who.organization) })
  await service.v1('PUT', `/collection/${collectionId}`, { body: flags(who.collection) })
}

describe('the cover of an organization', () => {
  test('is absent by default, and nothing is inherited', async () => {
    const { covers, themes } = await readCovers()
    expect(covers).toEqual(['track', null, null, null])
    expect(themes).toEqual(['#fe0000', null, null])
  })

  test('stays absent after an upload that is not an image; the job has the reason', async () => {
    const { json } = await service.v1('POST', `/organization/${organizationId}/cover`)
    await send(json.organization_cover_upload, new Uint8Array(Buffer.from('\xff\xd8\xff<svg/>', 'latin1')))
    const job = await service.services.db.job.findFirstOrThrow({ orderBy: { id: 'desc' } })
    expect([job.kind, job.state, job.error]).toEqual(['process_organization_cover', 'failed', 'not_an_image'])
    const again = await service.graphql(`mutation { retryJob(id: "${job.id}") { job { kind state } } }`)
    expect(again.data.retryJob.job).toEqual({ kind: 'PROCESS_ORGANIZATION_COVER', state: 'QUEUED' })
    await service.runJobs()
    expect((await readCovers()).covers[3]).toBeNull()
  })

  test('is uploaded by REST, delivered in both formats, and sets the theme', async () => {
    service.clock.now = new Date(Date.now() + 1000)
    const { status, json } = await service.v1('POST', `/organization/${organizationId}/cover`)
    expect([status, json.organization_id, json.organization.id]).toEqual([200, organizationId, organizationId])
    expect(json.organization_cover_upload).toMatchObject({ method: 'POST', ttl: 3600 })
    await send(json.organization_cover_upload, blue)
    const { covers, themes, data } = await readCovers()
    expect(covers).toEqual(['track', 'organization', 'organization', 'organization'])
    expect(themes).toEqual(['#fe0000', '#0000fa', '#0000fa'])
    const { small } = data.bare.coverImage
    expect(small).toMatchObject({ width: 200, height: 150, type: 'image/jpeg' })
    expect(small.webp).toMatchObject({ width: 200, height: 150, type: 'image/webp', webp: null })
    for (const [url, codec] of [
      [small.url, 'mjpeg'],
      [small.webp.url, 'webp'],
    ]) {
      const answer = await service.fetchEdge(url)
      expect([answer.status, answer.headers.get('content-type')?.startsWith('image/')]).toEqual([200, true])
      expect(await measureImage(await answer.arrayBuffer())).toEqual({ codec, width: 200, height: 150 })
    }
  })

  test('is uploaded by GraphQL, and replaced', async () => {
    service.clock.now = new Date(Date.now() + 60_000)
    const { data } = await service.graphql(
      `mutation { createOrganizationCoverUpload(organizationId: "${organizationId}") {
        organization { id } organizationCoverUpload { method uploadUrl ttl expiresAt } } }`,
    )
    const { organization, organizationCoverUpload } = data.createOrganizationCoverUpload
    expect([organization.id, organizationCoverUpload.method, organizationCoverUpload.ttl]).toEqual([
      organizationId,
      'POST',
      3600,
    ])
    await send(organizationCoverUpload, stripes(100, [[100, [250, 0, 250]]]))
    expect((await readCovers()).themes).toEqual(['#fe0000', '#fa00fa', '#fa00fa'])
    const second = await service.fetchEdge(organizationCoverUpload.uploadUrl, { method: 'POST', body: blue })
    expect(second.status).toBe(409)
  })
})

describe('inherited covers', () => {
  beforeAll(async () => {
    service.clock.now = new Date(Date.now() + 120_000)
    const { json } = await service.v1('POST', `/collection/${collectionId}/cover`)
    await send(json.collection_cover_upload, green)
  }, 30_000)

  test.each([
    { organization: false, collection: false, covers: ['track', 'collection', 'collection', 'organization'] },
    { organization: false, collection: true, covers: ['collection', 'collection', 'collection', 'organization'] },
    { organization: true, collection: false, covers: Array(4).fill('organization') },
    { organization: true, collection: true, covers: Array(4).fill('organization') },
  ])(
    'follow the flags: not overridable at the organization $organization, at the collection $collection',
    async ({ covers, ...who }) => {
      await restrict(who)
      const view = await readCovers()
      expect(view.covers).toEqual([...covers])
      const colors = { organization: '#fa00fa', collection: '#00fa00', track: '#fe0000' }
      expect(view.themes).toEqual(covers.slice(0, 3).map((from) => colors[from as keyof typeof colors]))
      // The fields of the record itself do not change.
      expect(view.data.red.theme[0].hex).toBe('#fe0000')
      expect(view.data.bare.theme).toEqual([])
    },
  )

  test('the player color is inherited too', async () => {
    const ask = async () => {
      const { data } = await service.graphql(`{
        track(id: "${tracks.red}") { effectivePlayerColor }
        collection(id: "${collectionId}") { effectivePlayerColor }
      }`)
      return [data.track.effectivePlayerColor, data.collection.effectivePlayerColor]
    }
    await service.v1('PUT', `/organization/${organizationId}`, { body: { player_color: '#112233' } })
    expect(await ask()).toEqual(['#112233', '#112233'])
    await service.v1('PUT', `/collection/${collectionId}`, { body: { player_color: '#445566' } })
    expect(await ask()).toEqual(['#445566', '#445566'])
    await service.v1('PUT', `/track/${tracks.red}`, { body: { player_color: '#778899' } })
    expect(await ask()).toEqual(['#778899', '#445566'])
  })
})

describe('coverImageOf', () => {
  test('returns every size with a valid address, and its WebP', async () => {
    const { domain, signingSecrets, cover } = await service.services.db.organization.findUniqueOrThrow({
      where: { id: organizationId },
    })
    const organization = { cover, isCoverOverridable: true }
    const image = toCoverImage(service.services, { domain, signingSecrets }, { organization })
    expect(Object.keys(image ?? {})).toEqual(['icon', 'small', 'regular', 'large'])
    for (const { webp, ...jpeg } of Object.values(image ?? {})) {
      expect(Object.keys(jpeg).sort()).toEqual(['height', 'type', 'url', 'width'])
      for (const picture of [jpeg, webp]) {
        const answer = await service.fetchEdge(picture?.url ?? '')
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, picture?.type ?? null])
      }
    }
  })

  test('returns null without a cover', async () => {
    const delivery = { domain: 'cdn.test', signingSecrets: [sealSecret(service.services, 'secret')] }
    const none = { cover: null, isCoverOverridable: true }
    expect(
      toCoverImage(service.services, delivery, { organization: none, collection: none, trackCover: null }),
    ).toBeNull()
  })
})
