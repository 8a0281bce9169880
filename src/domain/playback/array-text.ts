/** An array literal of PostgreSQL. The values need no quotes, which the driver would add. */
export const arrayText = (values: readonly (string | number)[]) => `{${values.join(',')}}`

/** An array literal of nullable texts. They contain no character that needs an escape. */
export const nullableText = (values: readonly (string | null)[]) =>
  arrayText(values.map((value) => (value === null ? 'NULL' : `"${value}"`)))
