import { useState } from 'react'
import { t } from '../../strings.ts'
import type { LinkVariantFragment as LinkVariant } from '../generated/operations.ts'
import { Choice } from '../ui/field.tsx'
import { isMaster, sortForListeners } from './variants.ts'

/** The variant that a link plays: the one for listeners, unless a person chooses another one. Warns of a master. */
export function VariantChoice({ variants }: { variants: readonly LinkVariant[] }) {
  const sorted = sortForListeners(variants)
  const [first] = sorted
  const [chosenId, setChosenId] = useState(first?.id)
  const chosen = sorted.find(({ id }) => id === chosenId)
  return (
    <>
      <Choice
        label={t('access.variant')}
        name="variants"
        choices={sorted.map((variant) => ({
          id: variant.id,
          text: isMaster(variant) ? t('link.masterOf', { index: variant.index }) : variant.index,
        }))}
        defaultValue={first?.id}
        isRequired
        hint={sorted.length === 0 ? t('access.noVariants') : t('access.variantHint')}
        onChange={setChosenId}
      />
      {chosen && isMaster(chosen) && (
        <p className="warning" role="status">
          {t('link.masterWarning')}
        </p>
      )}
    </>
  )
}
