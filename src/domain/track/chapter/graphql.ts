import { builder } from '../../../platform/graphql/builder.ts'
import { needsColumns } from '../../../platform/graphql/plan.ts'
import { withPrice } from '../../../platform/graphql/price.ts'
import { expose, schemaFields } from '../../../platform/graphql/record.ts'
import { MAX_CHAPTERS } from '../../../platform/media/chapter.ts'
import { chapterColumns, effectiveChapters, type TrackChapter } from './effective.ts'
import { CHAPTERS_DESCRIPTION, chapterFields, chapterInputShape } from './record.ts'

const ChapterObject = builder.objectRef<TrackChapter>('Chapter').implement({
  description: 'A chapter of a track.',
  fields: (t) => expose(t, chapterFields),
})

/** Options of the `chapters` field. */
export const chaptersField = {
  type: [ChapterObject] as [typeof ChapterObject],
  description: `${CHAPTERS_DESCRIPTION} Those that were set, else those of the recording.`,
  ...withPrice(needsColumns(...chapterColumns), { items: MAX_CHAPTERS }),
  resolve: effectiveChapters,
}

const ChapterInput = builder.inputType('ChapterInput', {
  description: 'A chapter of a track.',
  fields: (t) =>
    schemaFields(t, chapterInputShape, {
      title: 'String',
      startSeconds: 'Float',
      endSeconds: 'Float',
      url: 'String',
      imageUrl: 'String',
    }),
})

/** Options of the `chapters` field of an input. */
export const chaptersInputField = {
  type: [ChapterInput] as [typeof ChapterInput],
  description:
    `${CHAPTERS_DESCRIPTION} Within the duration of the track. An empty list hides those of the recording, null shows ` +
    'them again. A rebuild writes them into the files.',
}
