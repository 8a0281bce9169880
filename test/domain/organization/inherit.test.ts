import { describe, expect, test } from 'bun:test'
import {
  inherited,
  inheritedCover,
  inheritedPlayerColor,
  inheritedTheme,
} from '../../../src/domain/organization/inherit.ts'

const yesOrNo = [true, false]
/** Every combination of three tiers with or without a value. Two of the tiers may be overridable. */
const cases = yesOrNo.flatMap((hasOrganization) =>
  yesOrNo.flatMap((hasCollection) =>
    yesOrNo.flatMap((hasOwn) =>
      yesOrNo.flatMap((organizationRestricts) =>
        yesOrNo.map((collectionRestricts) => ({
          hasOrganization,
          hasCollection,
          hasOwn,
          organizationRestricts,
          collectionRestricts,
        })),
      ),
    ),
  ),
)

/** The rule: the first tier from the top that has a value and is not overridable, else the lowest with a value. */
function expected({
  hasOrganization,
  hasCollection,
  hasOwn,
  organizationRestricts,
  collectionRestricts,
}: (typeof cases)[0]) {
  if (organizationRestricts && hasOrganization) return 'organization'
  if (collectionRestricts && hasCollection) return 'collection'
  if (hasOwn) return 'own'
  if (hasCollection) return 'collection'
  return hasOrganization ? 'organization' : null
}

describe('inherited value of a track', () => {
  test.each(cases)('%o', (row) => {
    const { hasOrganization, hasCollection, hasOwn, organizationRestricts, collectionRestricts } = row
    const value = inherited({
      organization: { value: hasOrganization ? 'organization' : null, isOverridable: !organizationRestricts },
      collection: { value: hasCollection ? 'collection' : null, isOverridable: !collectionRestricts },
      trackValue: hasOwn ? 'own' : null,
    })
    expect(value).toBe(expected(row))
  })
})

describe('inherited value of a collection', () => {
  test.each([
    { organization: 'o', isRestricted: false, collection: 'c', result: 'c' },
    { organization: 'o', isRestricted: true, collection: 'c', result: 'o' },
    { organization: 'o', isRestricted: false, collection: null, result: 'o' },
    { organization: null, isRestricted: true, collection: 'c', result: 'c' },
    { organization: null, isRestricted: true, collection: null, result: null },
  ])('%o', ({ organization, isRestricted, collection, result }) => {
    const above = { value: organization, isOverridable: !isRestricted }
    const valueFor = (isOverridable: boolean) =>
      inherited({ organization: above, collection: { value: collection, isOverridable } })
    expect(yesOrNo.map(valueFor)).toEqual([result, result])
  })
})

test.each(yesOrNo)('an organization inherits nothing, with isOverridable %p', (isOverridable) => {
  expect(inherited({ organization: { value: 'o', isOverridable } })).toBe('o')
  expect(inherited({ organization: { value: null, isOverridable } })).toBeNull()
})

test('an empty theme counts as absent', () => {
  const [blue, red] = [[{ hex: '#0000ff' }], [{ hex: '#ff0000' }]]
  const organization = { theme: blue, isThemeOverridable: true }
  const collection = { theme: [], isThemeOverridable: false }
  expect(inheritedTheme({ organization, collection, trackTheme: red })).toEqual(red)
  expect(inheritedTheme({ organization, collection, trackTheme: [] })).toEqual(blue)
  expect(
    inheritedTheme({ organization: { theme: [], isThemeOverridable: false }, collection, trackTheme: [] }),
  ).toEqual([])
})

test('covers follow isCoverOverridable', () => {
  const organization = { cover: 'o', isCoverOverridable: false }
  expect(inheritedCover({ organization, collection: { cover: 'c', isCoverOverridable: false }, trackCover: 't' })).toBe(
    'o',
  )
  expect(inheritedCover({ organization: { ...organization, cover: null }, trackCover: null })).toBeNull()
})

test('the lowest player color applies', () => {
  const [organization, collection, track] = ['#111111', '#222222', '#333333'].map((playerColor) => ({ playerColor }))
  const none = { playerColor: null }
  if (!organization || !collection || !track) throw new Error('three colors')
  expect(inheritedPlayerColor(organization, collection, track)).toBe('#333333')
  expect(inheritedPlayerColor(organization, collection, none)).toBe('#222222')
  expect(inheritedPlayerColor(organization, none, none)).toBe('#111111')
  expect(inheritedPlayerColor(organization)).toBe('#111111')
})
