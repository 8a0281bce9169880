import { t } from '../../strings.ts'
import type { useRun } from '../api.ts'
import { CreateShareKeyDocument } from '../generated/operations.ts'
import { formatAddresses, type Subject } from './share-address.ts'
import { findReusableKey, formatStandardInput, readSubject, type Shareable } from './subject.ts'
import { findDefault } from './variants.ts'

/** A subject without a variant that may be shared without a decision. */
export class UndecidedVariant extends Error {
  constructor() {
    super(t('link.undecided'))
  }
}

export interface PreparedLink {
  subject: Subject
  apiKey: string
}

/**
 * Returns the link to a track or collection that exists, or a new one that never expires.
 * @throws UndecidedVariant without a variant for listeners; ApiError
 */
export async function prepareLink(run: ReturnType<typeof useRun>, shareable: Shareable): Promise<PreparedLink> {
  const shared = await readSubject(run, shareable)
  const variant = shared && findDefault(shared.variants)
  if (!shared || !variant) throw new UndecidedVariant()
  const { subject } = shared
  const apiKey = findReusableKey(shared, variant.id)
  if (apiKey !== null) return { subject, apiKey }
  const { created } = await run(CreateShareKeyDocument, { input: formatStandardInput(shared, variant.id) })
  return { subject, apiKey: created.key }
}

export const formatPreparedLink = ({ subject, apiKey }: PreparedLink) =>
  formatAddresses(subject, apiKey, location.origin).link
