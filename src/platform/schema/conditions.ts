// Conditions and orders of lists, for Prisma.

/** Condition: created in a range, its end excluded. */
export const createdWithin = ({ createdFrom, createdUntil }: { createdFrom?: Date; createdUntil?: Date }) =>
  createdFrom || createdUntil ? { createdAt: { gte: createdFrom, lt: createdUntil } } : {}

/** Condition: any of the fields contains the text, case-insensitively. */
export const contains = <F extends string>(fields: readonly F[], search: string | undefined) =>
  search === undefined
    ? {}
    : { OR: fields.map((field) => ({ [field]: { contains: search, mode: 'insensitive' as const } })) }

/** Newest first, ties broken by id. */
export const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]
