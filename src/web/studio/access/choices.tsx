import { useState } from 'react'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { VariantChoicesDocument } from '../generated/operations.ts'
import { CollectionChoice } from '../ui/collection-choice.tsx'
import { Checks } from '../ui/field.tsx'
import { SearchChoice } from '../ui/search-choice.tsx'

/** A collection that limits a key, or none. */
export const KeyCollectionChoice = () => (
  <CollectionChoice label={t('access.collection')} hint={t('access.collectionHint')} />
)

function useVariants(search: string) {
  const { data } = useData(VariantChoicesDocument, { search: search || null })
  return data?.variants.nodes.map(({ id, index }) => ({ id, text: index })) ?? []
}

/** The variant that a share key opens. */
export function VariantChoice() {
  const [search, setSearch] = useState('')
  return (
    <SearchChoice
      label={t('access.variant')}
      name="variants"
      hint={t('access.variantHint')}
      isRequired
      choices={useVariants(search)}
      onSearch={setSearch}
    />
  )
}

/** The variants of the play sessions of a player key. */
export function VariantChecks() {
  return (
    <Checks label={t('studio.variants')} name="variants" hint={t('access.variantsHint')} choices={useVariants('')} />
  )
}
