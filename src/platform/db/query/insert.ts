import type { Prisma } from '../generated/client/client.ts'
import { findModel } from './models.ts'
import { planOfSelection } from './plan.ts'
import type { Reader, ReadResult } from './reader.ts'
import { select, toRow } from './select.ts'
import { Values } from './statement.ts'

/** Parts of `INSERT INTO table (columns) SELECT columns FROM source`. */
interface Insertion {
  columns: string
  /** A relation of one row. */
  source: string
}

/**
 * Compiles a new row. It is one parameter, so that the text of the statement depends on the row's fields only.
 * @param fields by the names of schema.prisma. Undefined ones get the default of their column
 */
export function insertion(name: Prisma.ModelName, fields: object, values: Values): Insertion {
  const { table, columns } = findModel(name)
  const definedFields = Object.entries(fields).filter(([, value]) => value !== undefined)
  const row = Object.fromEntries(definedFields.map(([field, value]) => [columns.get(field)?.slice(1, -1), value]))
  return {
    columns: definedFields.map(([field]) => columns.get(field)).join(', '),
    source: `jsonb_populate_record(NULL::${table}, ${values.add(JSON.stringify(row))}::jsonb)`,
  }
}

/** ID and times of a new row. */
export function newRow() {
  const now = new Date()
  return { id: Bun.randomUUIDv7(), createdAt: now, updatedAt: now }
}

/**
 * Inserts a row with all that belongs to it in one statement, in a transaction that locks nothing for longer than its
 * commit takes.
 * @param compile returns the parts of WITH; `written` must contain the new row of the model, or none
 * @returns the row with the included relations, or null
 */
export async function insertRow<M extends Prisma.ModelName, I extends object = object>(
  reader: Pick<Reader, 'query'>,
  name: M,
  compile: (values: Values) => string,
  include?: I,
): Promise<ReadResult<M, { include: I }>[number] | null> {
  const model = findModel(name)
  const values = new Values()
  const parts = compile(values)
  const { columns, joins, shape } = select(model, planOfSelection(model, { include: { ...include } }), values)
  // As JSON, because in a transaction Prisma runs it, which distinguishes columns by their names only.
  const text = `WITH ${parts} SELECT json_build_array(${columns.join(', ')}) AS row FROM written t${joins}`
  const [insertedRow] = await reader.query({ text, values: values.list, isWrite: true })
  return (insertedRow ? toRow(shape, insertedRow[0] as unknown[], true) : null) as
    | ReadResult<M, { include: I }>[number]
    | null
}
