import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'

/** Size of a document. Fragments count for every spread, as if written out. */
export interface Measures {
  tokens: number
  operations: number
  /** Levels of the deepest operation. Introspection counts as one, because its own rules limit it. */
  depth: number
  /** Fields directly under the root of the widest operation. */
  rootFields: number
  /** Maximum number of fields of one selection set. */
  breadth: number
  /** Maximum over all operations, as are the two below. */
  fields: number
  aliases: number
  directives: number
}

interface Size {
  depth: number
  /** Fields of the selection set itself. */
  level: number
  breadth: number
  fields: number
  aliases: number
  directives: number
}

const EMPTY: Size = { depth: 0, level: 0, breadth: 0, fields: 0, aliases: 0, directives: 0 }
const measuresByDocument = new WeakMap<DocumentNode, Measures>()

/**
 * Measures a document that may be invalid: fragments may be missing or circular (a cycle counts once; validation
 * rejects it). Each fragment is walked once, independent of its number of spreads.
 */
export function measure(document: DocumentNode): Measures {
  const measured = measuresByDocument.get(document) ?? measureDocument(document)
  measuresByDocument.set(document, measured)
  return measured
}

function measureDocument(document: DocumentNode): Measures {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const sizes = new Map<string, Size>()
  const measureFragment = (name: string): Size => {
    const done = sizes.get(name)
    const fragment = fragments.get(name)
    if (done || !fragment) return done ?? EMPTY
    sizes.set(name, EMPTY)
    const size = sizeOfSelections(fragment.selectionSet, measureFragment)
    size.directives += fragment.directives?.length ?? 0
    sizes.set(name, size)
    return size
  }

  const all = { tokens: document.tokenCount ?? 0, operations: 0, depth: 0, rootFields: 0 }
  const most = { ...all, breadth: 0, fields: 0, aliases: 0, directives: 0 }
  // Unused fragments are validated too, in time that grows with the square of their breadth.
  for (const name of fragments.keys()) most.breadth = Math.max(most.breadth, measureFragment(name).breadth)
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const size = sizeOfSelections(definition.selectionSet, measureFragment)
    const ofVariables = definition.variableDefinitions?.flatMap(({ directives }) => directives ?? []) ?? []
    size.directives += (definition.directives?.length ?? 0) + ofVariables.length
    most.operations++
    most.rootFields = Math.max(most.rootFields, size.level)
    for (const name of ['depth', 'breadth', 'fields', 'aliases', 'directives'] as const) {
      most[name] = Math.max(most[name], size[name])
    }
  }
  return most
}

function sizeOfSelections({ selections }: SelectionSetNode, sizeOf: (fragment: string) => Size): Size {
  const size = { ...EMPTY }
  const add = (inner: Size, isSameLevel: boolean, levels: number) => {
    if (isSameLevel) size.level += inner.level
    size.depth = Math.max(size.depth, levels)
    size.breadth = Math.max(size.breadth, inner.breadth)
    size.fields += inner.fields
    size.aliases += inner.aliases
    size.directives += inner.directives
  }
  for (const selection of selections) {
    size.directives += selection.directives?.length ?? 0
    if (selection.kind === Kind.FIELD) {
      const inner = selection.selectionSet ? sizeOfSelections(selection.selectionSet, sizeOf) : EMPTY
      size.level++
      size.fields++
      size.aliases += selection.alias ? 1 : 0
      add(inner, false, /^__(schema|type)$/.test(selection.name.value) ? 1 : 1 + inner.depth)
    } else {
      const inner =
        selection.kind === Kind.FRAGMENT_SPREAD
          ? sizeOf(selection.name.value)
          : sizeOfSelections(selection.selectionSet, sizeOf)
      add(inner, true, inner.depth)
    }
  }
  size.breadth = Math.max(size.breadth, size.level)
  return size
}
