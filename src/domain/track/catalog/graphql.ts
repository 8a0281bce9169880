import { needsColumns } from '../../../platform/graphql/plan.ts'
import { type CatalogRow, catalogReaders } from './effective.ts'
import { catalogFields } from './record.ts'

/** Options of a field that tags of the recording fill. @param columns that it derives from, apart from the tags */
export const catalogField = <Name extends keyof typeof catalogFields>(
  name: Name,
  ...columns: (keyof CatalogRow)[]
) => ({
  description: catalogFields[name].description,
  ...needsColumns(...columns, 'info'),
  resolve: (track: object) => catalogReaders[name](track as CatalogRow) as ReturnType<(typeof catalogReaders)[Name]>,
})

export const titleField = catalogField('title', 'playerTitle', 'fileName', 'fileNameOriginal')
