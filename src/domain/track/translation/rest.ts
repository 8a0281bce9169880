import { z } from 'zod'
import { route } from '../../../platform/http/rest.ts'
import { id } from '../../../platform/schema/fields.ts'
import { trackId } from '../record.ts'
import {
  listedTranslationShape,
  toListedTranslation,
  toRestTranslation,
  translationKey,
  translationShape,
  translationTextInput,
} from './record.ts'
import { deleteTranslation, getTranslation, listTranslations, setTranslation } from './service.ts'

const trackIdShape = id({ description: 'ID of the track.' }).restShape
const answer = z.object({ trackId: trackIdShape, translation: translationShape })

export const translationRoutes = [
  route({
    method: 'GET',
    path: '/track/:trackId/translation',
    auth: 'key',
    operation: 'listTranslations',
    summary: 'Lists the translations of a track by language, without their texts.',
    params: trackId,
    answer: z.object({ trackId: trackIdShape, translations: z.array(listedTranslationShape) }),
    handle: async ({ ctx, params }) => ({
      trackId: params.trackId,
      translations: (await listTranslations(ctx, params.trackId)).map(toListedTranslation),
    }),
  }),
  route({
    method: 'GET',
    path: '/track/:trackId/translation/:language',
    auth: 'key',
    operation: 'getTranslation',
    summary: 'Returns the translation of a track into a language.',
    params: translationKey,
    answer,
    handle: async ({ ctx, params: { trackId, language } }) => ({
      trackId,
      translation: toRestTranslation(await getTranslation(ctx, trackId, language)),
    }),
  }),
  route({
    method: 'PUT',
    path: '/track/:trackId/translation/:language',
    auth: 'key',
    operation: 'setTranslation',
    summary: 'Sets the translation of a track into a language, or replaces it.',
    params: translationKey,
    body: translationTextInput,
    fails: ['limit_reached'],
    answer,
    handle: async ({ ctx, params: { trackId, language }, body: { text } }) => ({
      trackId,
      translation: toRestTranslation(await setTranslation(ctx, trackId, { language, text })),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/track/:trackId/translation/:language',
    auth: 'key',
    operation: 'deleteTranslation',
    summary: 'Deletes the translation of a track into a language.',
    params: translationKey,
    answer: z.object({ trackId: trackIdShape, deletedTranslation: translationShape }),
    handle: async ({ ctx, params: { trackId, language } }) => ({
      trackId,
      deletedTranslation: toRestTranslation(await deleteTranslation(ctx, trackId, language)),
    }),
  }),
]
