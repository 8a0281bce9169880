import { builder } from '../../../platform/graphql/builder.ts'
import { permitted, readScope } from '../../access/viewer.ts'
import { listMetadataKeys, MAX_KEYS, READ_RECORDS } from './service.ts'

/** Points of reading the metadata of up to 1,000 records. */
const READ_POINTS = 200

builder.queryField('metadataKeys', (t) =>
  t.stringList({
    extensions: { price: { points: READ_POINTS, items: MAX_KEYS } },
    description:
      `Lists the keys that the metadata of the latest ${READ_RECORDS} collections and ${READ_RECORDS} tracks has, most used ` +
      `first. At most ${MAX_KEYS}. A key with a scope sees those of its part.`,
    resolve: permitted(readScope, (_, __, ctx) => listMetadataKeys(ctx)),
  }),
)
