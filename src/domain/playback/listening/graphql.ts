import { builder } from '../../../platform/graphql/builder.ts'
import { idArgument, omitNulls } from '../../../platform/graphql/input.ts'
import { expose, filterFields } from '../../../platform/graphql/record.ts'
import { parse, parseId } from '../../../platform/schema/parse.ts'
import { permitted, readScope } from '../../access/viewer.ts'
import { HUNDREDTHS } from './hundredths.ts'
import { type Retention, retentionDescription, retentionFields, retentionFilters, retentionRange } from './record.ts'
import { readRetention } from './retention.ts'

const RetentionObject = builder.objectRef<Retention>('Retention').implement({
  description: retentionDescription,
  fields: (t) => expose(t, retentionFields),
})

const range = builder.args((t) => filterFields(t, retentionFilters))
builder.queryField('retention', (t) =>
  t.field({
    type: RetentionObject,
    extensions: { price: { points: HUNDREDTHS } },
    description:
      'Returns how much of a track is heard, as players of share links and of play sessions report it. Previews are left out. ' +
      'Nothing is reported unless the operator sets `LISTENING_SAMPLE`.',
    args: { trackId: idArgument('track'), ...range },
    resolve: permitted(readScope, (_, { trackId, ...period }, ctx) =>
      readRetention(ctx, parseId('trackId', trackId), parse(retentionRange, omitNulls(period))),
    ),
  }),
)
