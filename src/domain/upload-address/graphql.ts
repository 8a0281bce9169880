import { builder } from '../../platform/graphql/builder.ts'
import { expose } from '../../platform/graphql/record.ts'
import { type UploadHandle, uploadHandleFields } from './handle.ts'

export const UploadHandleObject = builder.objectRef<UploadHandle>('UploadTarget').implement({
  description: 'An address that takes one upload.',
  fields: (t) => expose(t, uploadHandleFields),
})
