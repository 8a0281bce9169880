// A declaration is named by what it contains, a function by what it does.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import ts from 'typescript-5'

const ROOT = join(import.meta.dir, '..')
/** Participles that say what happened to a value, not what it is. */
const BARE = new Set('asked given made known own shown left held taken wanted kept found heard'.split(' '))

interface Source {
  path: string
  tree: ts.SourceFile
}

async function readSources(folder: string): Promise<Source[]> {
  const paths = [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(ROOT)].sort()
  const sourcePaths = paths.filter((path) => !/\/generated|\.gen\.ts$|\/\.tmp\//.test(path))
  expect(sourcePaths.length).toBeGreaterThan(300)
  return Promise.all(
    sourcePaths.map(async (path) => {
      const text = await Bun.file(join(ROOT, path)).text()
      return { path, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
    }),
  )
}

/** Every declared name of a file, with its node. */
function* declarationsOf(node: ts.Node): Generator<{ name: ts.Identifier; node: ts.Node }> {
  const { name } = node as { name?: ts.Node }
  const isUse = ts.isPropertyAccessExpression(node) || ts.isPropertyAssignment(node)
  if (name && ts.isIdentifier(name) && !isUse) yield { name, node }
  for (const child of node.getChildren()) yield* declarationsOf(child)
}

function findBare({ path, tree }: Source): string[] {
  return [...declarationsOf(tree)]
    .filter(({ name }) => BARE.has(name.text))
    .map(({ name }) => `${path}:${lineOf(tree, name)} ${name.text}`)
}

const lineOf = (tree: ts.SourceFile, node: ts.Node) => tree.getLineAndCharacterOfPosition(node.getStart()).line + 1

/** Functions named `xOf` that do more than read x of their argument. */
function findFalseReaders({ path, tree }: Source): string[] {
  return [...declarationsOf(tree)].flatMap(({ name, node }) => {
    const declared = ts.isVariableDeclaration(node) ? node.initializer : node
    if (!/^[a-z]\w*Of$/.test(name.text) || !declared || !isFunction(declared)) return []
    return isReader(declared) ? [] : [`${path}:${lineOf(tree, name)} ${name.text}`]
  })
}

const isFunction = (node: ts.Node): node is ts.ArrowFunction | ts.FunctionDeclaration | ts.FunctionExpression =>
  ts.isArrowFunction(node) || ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node)

function isReader({ parameters, body }: ts.ArrowFunction | ts.FunctionDeclaration | ts.FunctionExpression): boolean {
  if (!body || parameters.length !== 1) return false
  const returned =
    ts.isBlock(body) && body.statements.length === 1 && body.statements[0] && ts.isReturnStatement(body.statements[0])
      ? body.statements[0].expression
      : body
  return returned !== undefined && !ts.isBlock(returned) && isRead(returned)
}

/** `a.b`, `a?.b.c`, `a[0].b`, `b` of a destructured argument, and these with a default. */
function isRead(node: ts.Node): boolean {
  if (ts.isParenthesizedExpression(node)) return isRead(node.expression)
  if (ts.isBinaryExpression(node))
    return node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken && isRead(node.left)
  return ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
}

/** `domain/track`, `platform/media`, `cli`. The client and the pages are programs of their own. */
const roomOf = (path: string) =>
  path
    .split('/')
    .slice(1, /^src\/(domain|platform|roles|web)\//.test(path) ? 3 : 2)
    .join('/')

function findExports({ path, tree }: Source): [name: string, room: string][] {
  return tree.statements.flatMap((statement) => {
    if (!ts.canHaveModifiers(statement)) return []
    const isExported = ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) return []
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText(tree))
      : [(statement as { name?: ts.Node } & ts.Statement).name?.getText(tree) ?? '']
    return names.filter(Boolean).map((name): [string, string] => [name, roomOf(path)])
  })
}

function findHomonyms(sources: Source[]): string[] {
  const rooms = new Map<string, Set<string>>()
  for (const [name, room] of sources.flatMap(findExports)) rooms.set(name, (rooms.get(name) ?? new Set()).add(room))
  expect(rooms.size).toBeGreaterThan(50)
  return [...rooms]
    .filter(([, { size }]) => size > 1)
    .map(([name, roomNames]) => `${name}: ${[...roomNames].join(', ')}`)
}

test('no declaration is named by a bare participle', async () => {
  expect((await readSources('{src,test}')).flatMap(findBare)).toEqual([])
})

test('a function named xOf reads property x of its argument; any other name begins with a verb', async () => {
  expect((await readSources('src')).flatMap(findFalseReaders)).toEqual([])
})

test.each([
  ['the service', (path: string) => !/^src\/(web|client)\//.test(path)],
  ['the pages', (path: string) => path.startsWith('src/web/')],
])('a name is exported by one room: %s', async (_, isPart) => {
  expect(findHomonyms((await readSources('src')).filter(({ path }) => isPart(path)))).toEqual([])
})

test.each([
  ['const made = 1', 1],
  ['function f({ a: found }: { a: 1 }) {}', 1],
  ['interface A { own: 1 }', 1],
  ['const madeFile = 1; f(x.made, { made: 1 })', 0],
])('finds a bare participle: %s', (text, count) => {
  expect(findBare({ path: 'a.ts', tree: parse(text) })).toHaveLength(count)
})

test.each([
  ['const nameOf = (a) => a.name', 0],
  ['const nameOf = ({ name }) => name ?? null', 0],
  ['function nameOf(a) { return a?.b[0].name }', 0],
  ['const nameOf = (a) => read(a)', 1],
  ['const nameOf = (a, b) => a.name', 1],
  ['function nameOf(a) { log(); return a.name }', 1],
])('finds a function that does more than read: %s', (text, count) => {
  expect(findFalseReaders({ path: 'a.ts', tree: parse(text) })).toHaveLength(count)
})

const parse = (text: string) => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true)
