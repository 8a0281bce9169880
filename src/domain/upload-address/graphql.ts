import type { Context } from '../../platform/context.ts'
import { builder } from '../../platform/graphql/builder.ts'
import { expose } from '../../platform/graphql/record.ts'
import type { CoverTarget } from '../../platform/identity/signing.ts'
import { readScope } from '../access/viewer.ts'
import { partsUrlField, type UploadHandle, uploadHandle, uploadHandleFields } from './handle.ts'

export const UploadHandleObject = builder.objectRef<UploadHandle>('UploadTarget').implement({
  description: 'An address that takes one upload.',
  fields: (t) => ({
    ...expose(t, uploadHandleFields),
    partsUrl: t.string({
      nullable: true,
      description: `${partsUrlField.description} Null for any other address.`,
      resolve: ({ partsUrl }) => partsUrl ?? null,
    }),
  }),
})

/** Options of the field of a payload with the address of a cover. */
export const coverUploadField = (target: CoverTarget) => ({
  type: UploadHandleObject,
  description: 'Address that accepts one cover image.',
  resolve: ({ id }: { id: string }, _: unknown, ctx: Context) =>
    uploadHandle(ctx, target, { id, organizationId: readScope(ctx).organizationId }),
})
