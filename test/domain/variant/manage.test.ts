import { beforeAll, describe, expect, test } from 'bun:test'
import { createForeign, createTrack, makeReady, UNKNOWN_ID, unique } from '../../spec/support.ts'
import { codeOf, hire, signIn, sql, whileLocked } from '../../support/administrators.ts'
import { type Answer, useTestService } from '../../support/service.ts'
import { variantsAs } from '../../support/variants.ts'

const service = useTestService()
let owner: string
let variants: ReturnType<typeof variantsAs>
beforeAll(async () => {
  owner = (await signIn(service)).token
  variants = variantsAs(service, owner)
})

function refused(answer: Answer, code: string, field: string): void {
  expect([codeOf(answer), answer.json.errors?.[0].message]).toEqual([code, expect.stringContaining(field)])
}

const sound = { codec: 'AAC', bitrate: 128, isStereo: true, isStripTags: true, isStripCover: true }
const bars = { barWidth: 4, barGap: 2, isRounded: true, color: null }
const otherSound = { bitrate: 64, isStereo: false, isStripTags: false, isStripCover: false }
const otherBars = { barWidth: 8, barGap: 0, isRounded: false, color: '#112233', backgroundColor: '#ffffff' }

describe('createVariant, with defaults and with all parameters', () => {
  const seconds = { previewType: 'seconds', previewSeconds: 20, previewMinPercent: 5, previewMaxPercent: 60 }
  const percent = { previewType: 'percent', previewPercent: 10, previewMinSeconds: 5, previewMaxSeconds: 40 }
  const kinds: [type: string, defaults: object | null, input: object][] = [
    ['TRANSCODE', sound, { codec: 'opus', ...otherSound, normalizeMode: 'dynamic' }],
    ['TRANSCODE', { normalize: null, normalizeMode: null }, { codec: 'flac', normalizeMode: 'linear' }],
    ['PREVIEW', { ...sound, previewType: 'SECONDS', previewSeconds: 60, previewStartPercent: 25 }, { ...seconds }],
    [
      'PREVIEW',
      { previewMinPercent: 0, previewMaxPercent: 50, previewPercent: null },
      { ...otherSound, ...percent, normalizeMode: 'dynamic' },
    ],
    [
      'LEVELS',
      { numSamples: 320, samplesPerPixel: 256, bits: 8, waveformChannels: null },
      { numSamples: 9, samplesPerPixel: 64, bits: 16, waveformChannels: 2 },
    ],
    [
      'WAVEFORM_IMAGE',
      { format: null, width: 1800, height: 280, backgroundColor: null, ...bars },
      { format: 'svg', width: 16, ...otherBars },
    ],
    ['WAVEFORM_VIDEO', { width: 1280, fps: 10, bitrate: 128, ...bars }, { fps: 1, bitrate: 320, ...otherBars }],
    ['ORIGINAL', null, {}],
    ['COVER', null, {}],
  ]
  test.each(kinds)('creates %s', async (variantTypeId, defaults, input) => {
    const { variant, batch } = await variants.create({ variantTypeId, index: unique('v') })
    expect(variant).toMatchObject({ variantTypeId, trackId: null, props: defaults })
    expect(batch).toBeNull()
    const whole = await variants.create({ variantTypeId, index: unique('v'), ...input })
    const upper = (value: unknown) =>
      typeof value === 'string' && !value.startsWith('#') ? value.toUpperCase() : value
    const expectedProps = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, upper(value)]))
    if (defaults) expect(whole.variant.props).toMatchObject(expectedProps)
    const rest = await service.v1('GET', `/variant/${variant.id}`)
    expect(rest.json.variant.index).toBe(variant.index)
    for (const { id } of [variant, whole.variant]) await variants.remove(id)
  })
})

describe('invalid parameters', () => {
  const wrong: [type: string, field: string, values: unknown[]][] = [
    ['TRANSCODE', 'index', ['a', 'x'.repeat(65), 'a b', '']],
    ['TRANSCODE', 'codec', ['wma', '', 'AAC']],
    ['TRANSCODE', 'bitDepth', [8, 20, 32]],
    ['PREVIEW', 'normalizeMode', ['loud', '']],
    ['PREVIEW', 'codec', ['flac']],
    ['TRANSCODE', 'bitrate', [11, 321]],
    ['PREVIEW', 'previewType', ['minutes']],
    ['PREVIEW', 'previewSeconds', [-1]],
    ['PREVIEW', 'previewMinPercent', [-1, 101, 51]],
    ['PREVIEW', 'previewMaxPercent', [-1, 101]],
    ['PREVIEW', 'previewStartPercent', [-1, 101]],
    ['LEVELS', 'numSamples', [0, 10_001]],
    ['LEVELS', 'samplesPerPixel', [63, 65_537]],
    ['LEVELS', 'bits', [0, 12, 32]],
    ['LEVELS', 'waveformChannels', [0, 3]],
    ['WAVEFORM_IMAGE', 'format', ['jpeg', 'PNG', '']],
    ['WAVEFORM_IMAGE', 'width', [15, 4097]],
    ['WAVEFORM_IMAGE', 'height', [15, 2049]],
    ['WAVEFORM_IMAGE', 'barWidth', [0, 65]],
    ['WAVEFORM_IMAGE', 'barGap', [-1, 65]],
    ['WAVEFORM_IMAGE', 'color', ['red', '#12']],
    ['WAVEFORM_VIDEO', 'width', [126, 129, 1922]],
    ['WAVEFORM_VIDEO', 'height', [126, 129, 1082]],
    ['WAVEFORM_VIDEO', 'fps', [0, 31]],
    ['WAVEFORM_VIDEO', 'bitrate', [31, 321]],
    ['WAVEFORM_VIDEO', 'backgroundColor', ['none']],
    // Parameters of other types, which /v1 ignores.
    ['TRANSCODE', 'previewSeconds', [1]],
    ['TRANSCODE', 'numSamples', [1]],
    ['TRANSCODE', 'bitrateMode', ['cbr', 'abr']],
    ['TRANSCODE', 'fadeInSeconds', [1]],
    ['PREVIEW', 'fadeOutSeconds', [-1, 31]],
    ['PREVIEW', 'bitDepth', [16]],
    ['PREVIEW', 'previewPercent', [1]],
    ['LEVELS', 'bitrate', [128]],
    ['WAVEFORM_IMAGE', 'fps', [10]],
    ['ORIGINAL', 'codec', ['mp3']],
    ['COVER', 'width', [100]],
  ]
  test.each(wrong)('rejects %s: %s', async (variantTypeId, field, values) => {
    const input = { variantTypeId, index: unique('v') }
    for (const value of values) refused(await variants.tryCreate({ ...input, [field]: value }), 'invalid_input', field)
    const { variant } = await variants.create(input)
    for (const value of values) {
      refused(await variants.tryUpdate(variant.id, { [field]: value }), 'invalid_input', field)
    }
    await variants.remove(variant.id)
  })
})

test('has no mode of normalization for a single track (specification, section 4)', async () => {
  const { id } = await createTrack(service)
  await makeReady(service, id)
  for (const type of ['transcode', 'preview']) {
    const body = { variant_type_id: type, index: unique('v'), normalize: -16, normalize_mode: 'dynamic' }
    const { json, status } = await service.v1('POST', `/track/${id}/variant`, { body })
    expect([status, json.variant.props.normalize]).toEqual([200, -16])
    expect(json.variant.props).not.toHaveProperty('normalize_mode')
    await makeReady(service, id)
  }
})

describe('updateVariant', () => {
  test('keeps parameters that are left out, and resets null to the default', async () => {
    const { variant } = await variants.create({ variantTypeId: 'TRANSCODE', index: unique('v'), bitrate: 64 })
    const mp3 = await variants.update(variant.id, { codec: 'mp3' })
    expect(mp3).toMatchObject({ index: variant.index, props: { codec: 'MP3', bitrate: 64 } })
    expect(await variants.update(variant.id, { bitrate: null })).toMatchObject({
      props: { codec: 'MP3', bitrate: 128 },
    })
    const renamed = await variants.update(variant.id, { index: unique('renamed') })
    expect(renamed.index).toStartWith('renamed')
    expect(renamed.props).toMatchObject({ codec: 'MP3', bitrate: 128 })
  })

  test('drops the limits of the old type of preview length', async () => {
    const { variant } = await variants.create({ variantTypeId: 'PREVIEW', index: unique('v'), previewSeconds: 9 })
    const { props } = await variants.update(variant.id, { previewType: 'percent', bitrate: 64 })
    expect(props).toMatchObject({ previewType: 'PERCENT', previewPercent: 25, previewSeconds: null, bitrate: 64 })
    refused(await variants.tryUpdate(variant.id, { previewSeconds: 3 }), 'invalid_input', 'previewSeconds')
    const back = await variants.update(variant.id, { previewType: 'seconds' })
    expect(back.props).toMatchObject({ previewSeconds: 60, previewPercent: null })
  })

  test('resets a null color to the color of the track', async () => {
    const input = { variantTypeId: 'WAVEFORM_IMAGE', index: unique('v'), color: '#ff0000' }
    const { variant } = await variants.create(input)
    expect((await variants.update(variant.id, { color: null })).props.color).toBeNull()
  })
})

test('answers not_found for unknown, foreign, deleted and track-specific variants', async () => {
  const foreign = await createForeign(service)
  const { variant } = await variants.create({ variantTypeId: 'LEVELS', index: unique('v') })
  expect((await variants.remove(variant.id)).id).toBe(variant.id)
  const trackId = (await createTrack(service)).id
  await makeReady(service, trackId)
  const body = { variant_type_id: 'transcode', index: unique('v') }
  const ownVariantId = (await service.v1('POST', `/track/${trackId}/variant`, { body })).json.variant_id
  for (const id of [UNKNOWN_ID, foreign.variantId, variant.id, ownVariantId]) {
    refused(await variants.tryUpdate(id, { index: 'anything' }), 'not_found', 'id')
    refused(await variants.tryDelete(id), 'not_found', 'id')
    refused(await variants.tryApply(id), 'not_found', 'id')
  }
  refused(await variants.tryUpdate('x', {}), 'invalid_input', 'id')
  expect((await service.v1('GET', `/variant/${foreign.variantId}`, { key: foreign.key })).status).toBe(200)
})

const tokenOf = async (role: 'admin' | 'viewer') => (await signIn(service, await hire(service, owner, role))).token

test('is allowed for admins', async () => {
  const { variant } = await variants.create({ variantTypeId: 'LEVELS', index: unique('v') })
  const admin = variantsAs(service, await tokenOf('admin'))
  const answers = [
    await admin.tryApply(variant.id),
    await admin.tryCreate({ variantTypeId: 'LEVELS', index: unique('v') }),
    await admin.tryUpdate(variant.id, {}),
  ]
  expect(answers.map(({ json }) => json.errors)).toEqual(Array(3).fill(undefined))
})

test.each([
  ['viewers', () => tokenOf('viewer')],
  ['keys', async () => service.demo.api_key],
] as const)('is forbidden for %s', async (_, key) => {
  const { variant } = await variants.create({ variantTypeId: 'LEVELS', index: unique('v') })
  const as = variantsAs(service, await key())
  const answers = [
    await as.tryCreate({ variantTypeId: 'LEVELS', index: unique('v') }),
    await as.tryUpdate(variant.id, {}),
    await as.tryDelete(variant.id),
    await as.tryApply(variant.id),
    await as.tryCancel(UNKNOWN_ID),
  ]
  expect(answers.map(codeOf)).toEqual(Array(5).fill('forbidden'))
})

describe('index', () => {
  test('rejects an index of another variant, in either order', async () => {
    const trackId = (await createTrack(service)).id
    await makeReady(service, trackId)
    const index = unique('v')
    const body = { variant_type_id: 'transcode', index }
    expect((await service.v1('POST', `/track/${trackId}/variant`, { body })).status).toBe(200)
    refused(await variants.tryCreate({ variantTypeId: 'TRANSCODE', index }), 'index_taken', 'index')
    refused(await variants.tryCreate({ variantTypeId: 'LEVELS', index: 'hq' }), 'index_taken', 'index')
    const { variant } = await variants.create({ variantTypeId: 'TRANSCODE', index: unique('v') })
    refused(await variants.tryUpdate(variant.id, { index }), 'index_taken', 'index')
    await variants.update(variant.id, { index: variant.index })
  })

  test('of player keys and play sessions follows a rename; sessions that ended stay as they are', async () => {
    const [index, other, to] = [unique('Old'), unique('other'), unique('new')]
    const create = async (name: string) =>
      (await variants.create({ variantTypeId: 'TRANSCODE', index: name })).variant as { id: string }
    const variant = await create(index)
    await create(other)
    const body = { title: 'p', api_key_type_id: 'player', variants: [other, index.toLowerCase()] }
    const { api_key: key, api_key_id: keyId } = (await service.v1('POST', '/api_key', { body })).json
    const open = async () =>
      (
        await service.v1('POST', '/play_session/collection', {
          key,
          body: { collection_id: service.demo.collection_id },
        })
      ).json.play_session_id
    const [ended, session] = [await open(), await open()]
    const { db } = service.services
    await db.playSession.update({
      where: { id: ended },
      data: { createdAt: new Date(0), expiresAt: new Date(3_600_000) },
    })
    await variants.update(variant.id, { index: to })

    const variantsOf = async (id: string) => (await db.playSession.findUniqueOrThrow({ where: { id } })).variants
    expect((await db.apiKey.findUniqueOrThrow({ where: { id: keyId } })).variants).toEqual([other, to])
    expect([await variantsOf(session), await variantsOf(ended)]).toEqual([
      [other, to],
      [other, index],
    ])
    expect(await variantsOf(await open())).toEqual([other, to])
    // The old index is free, and no longer part of the key.
    await create(index)
    expect(await variantsOf(await open())).toEqual([other, to])
  })

  test('gives an index to one of two concurrent requests, for a track and for the organization', async () => {
    const rounds: unknown[] = []
    for (let round = 0; round < 5; round++) {
      const trackId = (await createTrack(service)).id
      await makeReady(service, trackId)
      const index = unique('both')
      const body = { variant_type_id: 'transcode', index }
      const answers = await whileLocked(
        service,
        [['SELECT FROM organization WHERE id = $1 FOR UPDATE', [service.demo.organization_id]]],
        () =>
          Promise.all([
            service.v1('POST', `/track/${trackId}/variant`, { body }),
            variants.tryCreate({ variantTypeId: 'TRANSCODE', index }),
          ]),
        2,
      )
      const { rowCount } = await sql(service, 'SELECT FROM variant WHERE index = $1', [index])
      rounds.push([...answers.map((answer) => codeOf(answer) ?? 'made').sort(), rowCount])
    }
    expect(rounds).toEqual(Array(5).fill(['index_taken', 'made', 1]))
  })
})
