import type { Model } from './models.ts'

/** A table of a statement. */
export interface Source {
  model: Model
  alias: string
  /** Aliases of its single relations that are joined without a condition, by their names. */
  joined: ReadonlyMap<string, string>
}

const NONE: Source['joined'] = new Map()
export const toSource = (model: Model, alias: string): Source => ({ model, alias, joined: NONE })

/** Joins conditions, without those that are always true. */
export const and = (parts: readonly string[]) => parts.filter((part) => part !== 'true').join(' AND ') || 'true'

/** Returns the column of a field. Throws for a field that the model does not have. */
export function findColumn(model: Model, field: string): string {
  const column = model.columns.get(field)
  if (!column) throw new Error(`${model.name} has no field ${field}`)
  return column
}
