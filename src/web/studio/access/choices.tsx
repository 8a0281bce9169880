import { t } from '../../strings.ts'
import { useData } from '../api.ts'
import { VariantChoicesDocument } from '../generated/operations.ts'
import { CollectionChoice } from '../ui/collection-choice.tsx'
import { Checks } from '../ui/field.tsx'

/** A collection that limits a key, or none. */
export const KeyCollectionChoice = () => (
  <CollectionChoice label={t('access.collection')} hint={t('access.collectionHint')} />
)

/** The variants of the play sessions of a player key. */
export function VariantChecks() {
  const { data } = useData(VariantChoicesDocument, {})
  const choices = data?.variants.nodes.map(({ id, index }) => ({ id, text: index })) ?? []
  return <Checks label={t('studio.variants')} name="variants" hint={t('access.variantsHint')} choices={choices} />
}
