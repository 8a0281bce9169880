// Variants: settings, application to existing tracks, files out of date.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { readyTrack } from '../../support/viewers.ts'
import { expectAccessible, setView, views } from '../view.ts'
import { openStudio, type Studio } from './studio.ts'

setDefaultTimeout(60_000)

let studio: Studio
let trackId: string
beforeAll(async () => {
  studio = await openStudio()
  trackId = await readyTrack(studio.service, studio.service.demo.collection_id, null)
})
afterAll(() => studio?.stop())

/** Presses a button in the row of a variant. */
const press = (page: Page, index: string, name: string) =>
  page.getByRole('row', { name: index }).getByRole('button', { name }).click()

/** Opens the list in a window that shows all variants: a list that scrolls takes no clicks. */
async function openVariants(): Promise<Page> {
  const page = await studio.open('/variants')
  await page.setViewportSize({ width: 1440, height: 1600 })
  return page
}

const findVariant = (index: string) =>
  studio.service.services.db.variant.findFirst({ where: { index, deletedAt: null, trackId: null } })

test('lists the variants with their settings in words', async () => {
  const page = await openVariants()
  await page.getByRole('row', { name: 'hq' }).getByText('AAC, 192 kbps, stereo').waitFor()
  await page.getByRole('row', { name: 'preview' }).getByText('30 s from 25%, MP3, 128 kbps, stereo').waitFor()
  await page.getByRole('row', { name: 'waveform' }).getByText('320 values, waveform of 8 bits').waitFor()
})

test('creates a variant with the settings of its type only', async () => {
  const page = await openVariants()
  await page.getByRole('button', { name: 'New variant' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name in addresses').fill('lossless')
  await dialog.getByLabel('Bit rate (kbps)').waitFor()
  await dialog.getByRole('button', { name: /Codec/ }).click()
  await page.getByRole('option', { name: 'FLAC' }).click()
  expect(await dialog.getByLabel('Bit rate (kbps)').count()).toBe(0)
  await dialog.getByLabel('Bits per sample (16 or 24)').fill('24')
  await dialog.getByText('Leave out the silence at both ends').click()
  await dialog.getByRole('button', { name: 'New variant' }).click()
  await page.getByRole('row', { name: 'lossless' }).getByText('FLAC, 24 bits, stereo, without silence').waitFor()
  const { props } = (await findVariant('lossless')) ?? {}
  expect(props).toMatchObject({ codec: 'flac', bit_depth: 24, is_stereo: true, is_trim_silence: true })
  expect(props).not.toHaveProperty('is_measured')

  await page.getByRole('button', { name: 'New variant' }).click()
  await dialog.getByRole('button', { name: /Type/ }).click()
  await page.getByRole('option', { name: 'Waveform image' }).click()
  await dialog.getByLabel('Name in addresses').fill('picture')
  expect(await dialog.getByLabel('Codec').count()).toBe(0)
  await dialog.getByLabel('Width (pixels)').fill('5000')
  await dialog.getByRole('button', { name: 'New variant' }).click()
  await dialog.getByText('must be at most 4096', { exact: true }).waitFor()
  await dialog.getByLabel('Width (pixels)').fill('900')
  await dialog.getByRole('button', { name: /Format/ }).click()
  await page.getByRole('option', { name: 'SVG' }).click()
  await dialog.getByRole('button', { name: 'New variant' }).click()
  await page.getByRole('row', { name: 'picture' }).getByText('SVG, 900 × 280 pixels').waitFor()

  await page.getByRole('button', { name: 'New variant' }).click()
  await dialog.getByRole('button', { name: /Type/ }).click()
  await page.getByRole('option', { name: 'Waveform levels' }).click()
  await dialog.getByLabel('Name in addresses').fill('sides')
  await dialog.getByRole('button', { name: /Channels of the waveform/ }).click()
  await page.getByRole('option', { name: 'Two, left and right' }).click()
  await dialog.getByRole('button', { name: 'New variant' }).click()
  await page.getByRole('row', { name: 'sides' }).getByText('waveform of 8 bits, left and right').waitFor()
})

test('creates and edits an adaptive stream: its bit rates are one field', async () => {
  const page = await openVariants()
  await page.getByRole('button', { name: 'New variant' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /Type/ }).click()
  await page.getByRole('option', { name: 'Adaptive stream' }).click()
  await dialog.getByLabel('Name in addresses').fill('stream')
  const rates = dialog.getByLabel('Bit rates (kbps)')
  await rates.fill('128, 64')
  await dialog.getByRole('button', { name: 'New variant' }).click()
  await dialog.getByText('must ascend', { exact: true }).waitFor()
  await rates.fill('')
  await dialog.getByRole('button', { name: 'New variant' }).click()
  await page.getByRole('row', { name: 'stream' }).getByText('64, 128, 256 kbps, stereo').waitFor()
  await press(page, 'stream', 'Edit')
  expect(await rates.inputValue()).toBe('64, 128, 256')
  await rates.fill('96 192')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'stream' }).getByText('96, 192 kbps, stereo').waitFor()
})

test('an emptied setting gets its default', async () => {
  const page = await openVariants()
  await press(page, 'preview', 'Edit')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Length (seconds)').fill('')
  await dialog.getByLabel('Loudness (LUFS)').fill('-14.5')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page
    .getByRole('row', { name: 'preview' })
    .getByText('60 s from 25%, MP3, 128 kbps, stereo, -14.5 LUFS')
    .waitFor()
})

test('applies a variant, follows its progress without a reload, and cancels it', async () => {
  const { service } = studio
  const page = await openVariants()
  await press(page, 'lq', 'Apply')
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('tab', { name: 'Applications' }).click()
  const row = page.getByRole('row', { name: 'lq' })
  await row.getByText('Waiting').waitFor()
  const batch = await service.services.db.batch.findFirstOrThrow({ orderBy: { createdAt: 'desc' } })
  expect(batch).toMatchObject({ collectionId: null, isOnlyMissing: false })
  await service.services.db.batch.update({ where: { id: batch.id }, data: { total: 7 } })
  await row.getByText('7 tracks').waitFor()
  await row.getByRole('button', { name: 'Cancel' }).click()
  // The counts have the word too.
  await row.getByText(/^Cancelled · /).waitFor()
  const { cancelledAt } = await service.services.db.batch.findUniqueOrThrow({ where: { id: batch.id } })
  expect(cancelledAt).not.toBeNull()
})

test('offers the collections to apply it to, also after the list of collections was shown', async () => {
  const page = await studio.open('/collections')
  await page.getByRole('row', { name: 'First collection' }).waitFor()
  await page.getByRole('link', { name: 'Variants' }).click()
  await press(page, 'lq', 'Apply')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').fill('First')
  await page.getByRole('option', { name: 'First collection' }).waitFor()
})

test('rebuilds the files that are out of date', async () => {
  const { db } = studio.service.services
  const { organization_id: organizationId } = studio.service.demo
  const variant = await findVariant('hq')
  const page = await openVariants()
  await page.getByRole('tab', { name: 'Files out of date' }).click()
  await page.getByText('All files match their variants.').waitFor()
  await db.trackFile.create({
    data: {
      organizationId,
      trackId,
      variantId: variant?.id ?? '',
      state: 'done',
      path: 'a.m4a',
      storageKey: 'a.m4a',
      index: 'hq',
      recipe: { bitrate: 1 },
      fileName: 'a.m4a',
      contentType: 'audio/mp4',
      size: 1,
      sha256: 'a'.repeat(64),
      props: {},
      completedAt: new Date(),
    },
  })
  await page.reload()
  await page.getByRole('tab', { name: 'Files out of date' }).click()
  await page.getByRole('button', { name: 'Rebuild song' }).click()
  await page.getByText('song is being rebuilt.').waitFor()
  const job = await db.job.findFirstOrThrow({ where: { trackId, kind: 'rebuild_track' } })
  expect(job.variantIds).toEqual([variant?.id ?? ''])
})

test('deletes a variant after a question', async () => {
  const page = await openVariants()
  await press(page, 'cover', 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('row', { name: 'cover' }).waitFor({ state: 'detached' })
  expect(await findVariant('cover')).toBeNull()
})

test.each(views)('has no barrier that axe finds, $colors, $width pixels wide', async (view) => {
  const page = await openVariants()
  await setView(page, view)
  await page.getByRole('row', { name: 'hq' }).waitFor()
  await expectAccessible(page, 'studio-variants', view)
  await page.getByRole('row').first().getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Name in addresses').waitFor()
  await expectAccessible(page, 'studio-variant-form', view)
})
