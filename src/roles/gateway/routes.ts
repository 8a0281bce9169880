import { accessRoutes } from '../../domain/access/rest.ts'
import { collectionRoutes } from '../../domain/collection/rest.ts'
import { creatorRoutes } from '../../domain/creator/rest.ts'
import { eventRoutes } from '../../domain/event/rest.ts'
import { organizationRoutes } from '../../domain/organization/rest.ts'
import { retentionRoutes } from '../../domain/playback/listening/rest.ts'
import { playSessionRoutes } from '../../domain/playback/session/rest.ts'
import { processingRoutes } from '../../domain/processing/rest.ts'
import { transcriptionRoutes } from '../../domain/processing/transcription/rest.ts'
import { replacementRoutes } from '../../domain/track/replacement/rest.ts'
import { trackRoutes } from '../../domain/track/rest.ts'
import { translationRoutes } from '../../domain/track/translation/rest.ts'
import { uploadRoutes } from '../../domain/upload/rest.ts'
import { usageRoutes } from '../../domain/usage/rest.ts'
import { variantRoutes } from '../../domain/variant/rest.ts'
import type { Route } from '../../platform/http/rest.ts'

/** All JSON routes of /v1. The stream, which answers with a redirect, is separate. */
export const restRoutes: readonly Route[] = [
  ...accessRoutes,
  ...eventRoutes,
  ...organizationRoutes,
  ...creatorRoutes,
  ...variantRoutes,
  ...collectionRoutes,
  ...trackRoutes,
  ...translationRoutes,
  ...replacementRoutes,
  ...playSessionRoutes,
  ...retentionRoutes,
  ...uploadRoutes,
  ...processingRoutes,
  ...transcriptionRoutes,
  ...usageRoutes,
]
