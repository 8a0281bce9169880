import type { Context, Services } from '../../../platform/context.ts'
import type { Transaction } from '../../../platform/db/client.ts'
import type { Track, Translation } from '../../../platform/db/generated/client/client.ts'
import { AppError, invalidInput, notFound } from '../../../platform/errors.ts'
import { readScope, writeScope } from '../../access/viewer.ts'
import { findTrack, oneTrackWhere } from '../service.ts'
import { readTranscriptForm, TRANSCRIPT_HEAD } from '../transcript/forms.ts'
import { MAX_TRANSLATIONS, readLanguageTag } from './record.ts'

/** Order of the translations of a track. */
export const byLanguage = { language: 'asc' } as const

/** Lists the translations of a track without their texts. @throws AppError `not_found` */
export async function listTranslations(ctx: Context, trackId: string): Promise<Omit<Translation, 'text'>[]> {
  const { translations } = await findTrack(ctx, trackId, {
    select: { id: true, translations: { orderBy: byLanguage, omit: { text: true } } },
  })
  return translations
}

/** @throws AppError `not_found` for a missing track or translation */
export async function getTranslation(ctx: Context, trackId: string, language: string): Promise<Translation> {
  const where = { language, track: oneTrackWhere(readScope(ctx), trackId) }
  const translation = await ctx.db.translation.findFirst({ where })
  if (translation) return translation
  await findTrack(ctx, trackId, { select: { id: true } })
  throw notFound('language')
}

/** Whether two tags name one language. Clients set that of a transcription in any case of its letters. */
export const isSameLanguage = (tag: string | null | undefined, other: string): boolean =>
  tag?.toLowerCase() === other.toLowerCase()

/** Returns the text of a translation, for a listener who may read the track. Null without one, and for what is no tag. */
export async function findTranslatedText({ db }: Services, trackId: string, tag: string): Promise<string | null> {
  const language = readLanguageTag(tag)
  if (language === null) return null
  const where = { trackId_language: { trackId, language } }
  return (await db.translation.findUnique({ where, select: { text: true } }))?.text ?? null
}

/**
 * Sets the translation of a track into a language, or replaces it.
 * @throws AppError `not_found`; `invalid_input` for the language of the transcription; `limit_reached` for more than MAX_TRANSLATIONS
 */
export async function setTranslation(
  ctx: Context,
  trackId: string,
  { language, text }: { language: string; text: string },
): Promise<Translation> {
  return changeTranslations(ctx, trackId, async (tx, { transcriptionLanguage }) => {
    if (isSameLanguage(transcriptionLanguage, language)) {
      throw invalidInput('language', 'must differ from the language of the transcription')
    }
    const others = await tx.translation.count({ where: { trackId, language: { not: language } } })
    if (others >= MAX_TRANSLATIONS) {
      throw new AppError('limit_reached', `A track has at most ${MAX_TRANSLATIONS} translations.`)
    }
    const data = { text, form: readTranscriptForm(text.slice(0, TRANSCRIPT_HEAD)) }
    return tx.translation.upsert({
      where: { trackId_language: { trackId, language } },
      create: { trackId, language, ...data },
      update: data,
    })
  })
}

/** @returns the translation before its deletion. @throws AppError `not_found` for a missing track or translation */
export async function deleteTranslation(ctx: Context, trackId: string, language: string): Promise<Translation> {
  return changeTranslations(ctx, trackId, async (tx) => {
    const where = { trackId_language: { trackId, language } }
    const translation = await tx.translation.findUnique({ where })
    if (!translation) throw notFound('language')
    return tx.translation.delete({ where })
  })
}

/** Changes the translations of a track one after another, so that together they keep the limit. It is a change of the track. */
async function changeTranslations<T>(
  ctx: Context,
  trackId: string,
  change: (tx: Transaction, track: Pick<Track, 'transcriptionLanguage'>) => Promise<T>,
): Promise<T> {
  const scope = writeScope(ctx)
  return ctx.db.$transaction(async (tx) => {
    const data = { updatedAt: ctx.clock() }
    const { count } = await tx.track.updateMany({ where: oneTrackWhere(scope, trackId), data })
    if (count === 0) throw notFound('trackId')
    const select = { transcriptionLanguage: true } as const
    return change(tx, await tx.track.findUniqueOrThrow({ where: { id: trackId }, select }))
  })
}
