import { toSnake } from '../../case.ts'
import { getDatamodel } from '../generated/pothos.ts'

/** A relation: rows whose `childKey` equals the parent's `parentKey`. */
export interface Relation {
  name: string
  model: string
  isList: boolean
  parentKey: string
  childKey: string
}

/** A table, with columns and relations by their names in schema.prisma. */
export interface Model {
  name: string
  table: string
  columns: ReadonlyMap<string, string>
  /** Prisma's types of the fields, such as `DateTime`. */
  types: ReadonlyMap<string, string>
  /** Fields that may be null. */
  nullable: ReadonlySet<string>
  /** Fields with a different value in each row. */
  unique: ReadonlySet<string>
  relations: ReadonlyMap<string, Relation>
  isView: boolean
}

interface Field {
  name: string
  kind: string
  type: string
  isList: boolean
  isId: boolean
  isUnique: boolean
  isRequired: boolean
  relationName?: string
  relationFromFields?: readonly string[]
}

/** Every foreign key of schema.prisma refers to an `id`, and every name is mapped to snake_case. */
const KEY = 'id'
const quoted = (name: string) => `"${toSnake(name)}"`
const uncapitalized = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)

const models = new Map<string, Model>()
const { models: fieldsByModel } = getDatamodel().datamodel as unknown as {
  models: Record<string, { fields: readonly Field[]; primaryKey: unknown }>
}

for (const [name, { fields, primaryKey }] of Object.entries(fieldsByModel)) {
  const scalars = fields.filter(({ kind }) => kind !== 'object')
  const relations = fields.filter(({ kind }) => kind === 'object')
  models.set(name, {
    name,
    table: quoted(uncapitalized(name)),
    columns: new Map(scalars.map((field) => [field.name, quoted(field.name)])),
    types: new Map(scalars.map((field) => [field.name, field.type])),
    nullable: new Set(scalars.filter(({ isRequired }) => !isRequired).map((field) => field.name)),
    unique: new Set(scalars.filter(({ isId, isUnique }) => isId || isUnique).map((field) => field.name)),
    relations: new Map(relations.map((field) => [field.name, toRelation(field)])),
    // In a Prisma schema, only views have no key.
    isView: primaryKey === null && !fields.some(({ isId }) => isId),
  })
}

function toRelation(field: Field): Relation {
  const { name, type: model, isList, relationName } = field
  const parentKey = field.relationFromFields?.[0]
  if (parentKey) return { name, model, isList, parentKey: parentKey, childKey: KEY }
  const inverse = fieldsByModel[model]?.fields.find((other) => other.relationName === relationName)
  const childKey = inverse?.relationFromFields?.[0]
  if (!childKey) throw new Error(`${model} does not refer back by ${relationName}`)
  return { name, model, isList, parentKey: KEY, childKey }
}

/** Returns the table of a model. */
export function findModel(name: string): Model {
  const model = models.get(name)
  if (!model) throw new Error(`schema.prisma has no model ${name}`)
  return model
}
