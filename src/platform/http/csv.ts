import { stringify } from 'csv-stringify/sync'

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * Formats rows as RFC 4180. Values that a spreadsheet would run as a formula get a leading apostrophe; null is an empty
 * field.
 */
export const writeCsv = (rows: readonly (readonly unknown[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: 'windows', escape_formulas: true },
  )
