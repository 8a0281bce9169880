import { useState } from 'react'
import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { CollectionChoicesDocument, VariantChoicesDocument } from '../generated/operations.ts'
import { Checks } from '../ui/field.tsx'
import { SearchChoice } from '../ui/search-choice.tsx'

/** A collection that limits a key, or none. */
export function CollectionChoice() {
  const [search, setSearch] = useState('')
  const { data } = useData(CollectionChoicesDocument, { search: search || null })
  const choices = data?.collections.nodes.map(({ id, title }) => ({ id, text: title })) ?? []
  return (
    <SearchChoice
      label={t('access.collection')}
      name="collectionId"
      hint={t('access.collectionHint')}
      choices={choices}
      onSearch={setSearch}
    />
  )
}

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
