import fc from 'fast-check'
import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { schema } from '../../../src/roles/gateway/schema.ts'

type Choose = (max: number) => number
type Field = GraphQLField<unknown, unknown>

const DEPTH = 6
/** Small numbers are generated more often. */
const PAGES = [50, 200, 10, 100, 3, 1]
const GROUPS = ['DAY', 'COLLECTION', 'TRACK', 'KEY', 'VARIANT']

const isValue = ({ type }: Field) => isLeafType(getNamedType(type))
const isPage = ({ args }: Field) => args.some(({ name }) => name === 'first')
const isRecord = (field: Field) => !isValue(field) && !isPage(field)

/** Writes queries from the schema: pages in pages, lists, edges, aliases, fragments, filters and groups of usage. */
export function writeOperation(generate: fc.GeneratorValue, ids: Record<string, string>): string {
  const choose: Choose = (max) => generate(fc.nat, { max })
  const pick = <T>(list: readonly T[]): T => list[choose(list.length - 1)] as T
  let aliases = 0
  let fields = 0

  function argumentsOf(field: Field): string | null {
    const written = field.args.flatMap(({ name, type }): (string | null)[] => {
      if (name === 'first') return choose(5) > 0 ? [`first: ${pick(PAGES)}`] : []
      if (name === 'groupBy') return [`groupBy: [${GROUPS.filter(() => choose(1) > 0).join(', ')}]`]
      if (name === 'filter' && getNamedType(type).name === 'TrackFilter' && choose(3) === 0) {
        return [pick(['filter: { search: "ba" }', 'filter: { hasStaleFiles: false }', 'filter: { status: [READY] }'])]
      }
      if (!isNonNullType(type)) return []
      return [ids[field.name] ? `${name}: "${ids[field.name]}"` : null]
    })
    if (written.includes(null)) return null
    return written.length > 0 ? `(${written.join(', ')})` : ''
  }

  function fieldText(field: Field, depth: number): string {
    const type = getNamedType(field.type)
    const args = argumentsOf(field)
    if (args === null || fields > 150) return ''
    fields += 1
    const content = isLeafType(type) ? '' : selection(type, depth - 1)
    if (content === null) return ''
    const isNamed = args !== '' || choose(9) === 0
    if (isNamed && aliases >= 28) return ''
    aliases += isNamed ? 1 : 0
    return `${isNamed ? `x${aliases}: ` : ''}${field.name}${args}${content}`
  }

  const some = (list: readonly Field[], max: number) =>
    list.length === 0 ? [] : Array.from({ length: choose(max) }, () => pick(list))

  function selection(type: GraphQLNamedType, depth: number): string | null {
    if (isUnionType(type)) return '{ __typename }'
    if (!isObjectType(type) && !isInterfaceType(type)) return null
    const all = Object.values(type.getFields()).filter((field) => depth > 0 || isLeafType(getNamedType(field.type)))
    // A page is of use with its records only.
    const chosen = type.name.endsWith('Connection')
      ? all.filter(({ name }) => name === 'nodes' || (name === 'edges' && choose(3) === 0) || choose(9) === 0)
      : [...some(all.filter(isValue), 3), ...some(all.filter(isPage), 1), ...some(all.filter(isRecord), 2)]
    const texts = [...new Set(chosen)].map((field) => fieldText(field, depth)).filter((text) => text !== '')
    const inner = texts.length > 0 ? texts.join(' ') : '__typename'
    return choose(5) === 0 ? ` { ... on ${type.name} { ${inner} } }` : ` { ${inner} }`
  }

  const root = Object.values(schema.getQueryType()?.getFields() ?? {})
  const chosen = [pick(root.filter(isPage)), ...some(root.filter(isPage), 2), ...some(root, 2)]
  const texts = chosen.map((field) => fieldText(field, DEPTH))
  return `query G { __typename ${[...new Set(texts)].join(' ')} }`
}

/** Number of objects in lists, and of those that lead to them. */
export function countObjects(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Array.isArray(value) ? value : Object.values(value)
  return inner.reduce((sum: number, item) => sum + countObjects(item), Array.isArray(value) ? 0 : 1)
}
