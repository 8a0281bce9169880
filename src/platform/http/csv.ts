import { stringify } from 'csv-stringify/sync'

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/**
 * Rows as RFC 4180 wants them. What a spreadsheet would take for a formula gets an apostrophe in front; null is an
 * empty field.
 */
export const csvOf = (rows: readonly (readonly unknown[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: 'windows', escape_formulas: true },
  )
