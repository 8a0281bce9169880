import { describe, expect, test } from 'bun:test'
import {
  inherited,
  inheritedCover,
  inheritedPlayerColor,
  inheritedTheme,
} from '../../../src/domain/organization/inherit.ts'

const yesOrNo = [true, false]
/** Every way in which three levels can have something, and two of them insist on it. */
const cases = yesOrNo.flatMap((hasOrganization) =>
  yesOrNo.flatMap((hasCollection) =>
    yesOrNo.flatMap((hasOwn) =>
      yesOrNo.flatMap((organizationInsists) =>
        yesOrNo.map((collectionInsists) => ({
          ...{ hasOrganization, hasCollection, hasOwn, organizationInsists, collectionInsists },
        })),
      ),
    ),
  ),
)

/** The rule in words: whoever insists and has one wins, from the top; else the nearest. */
function expected({
  hasOrganization,
  hasCollection,
  hasOwn,
  organizationInsists,
  collectionInsists,
}: (typeof cases)[0]) {
  if (organizationInsists && hasOrganization) return 'organization'
  if (collectionInsists && hasCollection) return 'collection'
  if (hasOwn) return 'own'
  if (hasCollection) return 'collection'
  return hasOrganization ? 'organization' : null
}

describe('what counts for a track', () => {
  test.each(cases)('%o', (given) => {
    const { hasOrganization, hasCollection, hasOwn, organizationInsists, collectionInsists } = given
    const found = inherited({
      organization: { value: hasOrganization ? 'organization' : null, isOverridable: !organizationInsists },
      collection: { value: hasCollection ? 'collection' : null, isOverridable: !collectionInsists },
      own: hasOwn ? 'own' : null,
    })
    expect(found).toBe(expected(given))
  })
})

describe('what counts for a collection', () => {
  test.each([
    { organization: 'o', insists: false, collection: 'c', found: 'c' },
    { organization: 'o', insists: true, collection: 'c', found: 'o' },
    { organization: 'o', insists: false, collection: null, found: 'o' },
    { organization: null, insists: true, collection: 'c', found: 'c' },
    { organization: null, insists: true, collection: null, found: null },
  ])('%o', ({ organization, insists, collection, found }) => {
    for (const isOverridable of yesOrNo) {
      const above = { value: organization, isOverridable: !insists }
      expect(inherited({ organization: above, collection: { value: collection, isOverridable } })).toBe(found)
    }
  })
})

test('an organization has its own, or nothing', () => {
  for (const isOverridable of yesOrNo) {
    expect(inherited({ organization: { value: 'o', isOverridable } })).toBe('o')
    expect(inherited({ organization: { value: null, isOverridable } })).toBeNull()
  }
})

test('an empty theme is none', () => {
  const [blue, red] = [[{ hex: '#0000ff' }], [{ hex: '#ff0000' }]]
  const organization = { theme: blue, isThemeOverridable: true }
  const collection = { theme: [], isThemeOverridable: false }
  expect(inheritedTheme({ organization, collection, own: red })).toEqual(red)
  expect(inheritedTheme({ organization, collection, own: [] })).toEqual(blue)
  expect(inheritedTheme({ organization: { theme: [], isThemeOverridable: false }, collection, own: [] })).toEqual([])
})

test('covers go by their own flag', () => {
  const organization = { cover: 'o', isCoverOverridable: false }
  expect(inheritedCover({ organization, collection: { cover: 'c', isCoverOverridable: false }, own: 't' })).toBe('o')
  expect(inheritedCover({ organization: { ...organization, cover: null }, own: null })).toBeNull()
})

test('a player colour is the nearest', () => {
  const [organization, collection, own] = ['#111111', '#222222', '#333333'].map((playerColor) => ({ playerColor }))
  const none = { playerColor: null }
  if (!organization || !collection || !own) throw new Error('three colours')
  expect(inheritedPlayerColor(organization, collection, own)).toBe('#333333')
  expect(inheritedPlayerColor(organization, collection, none)).toBe('#222222')
  expect(inheritedPlayerColor(organization, none, none)).toBe('#111111')
  expect(inheritedPlayerColor(organization)).toBe('#111111')
})
