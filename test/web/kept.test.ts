import { expect, test } from 'bun:test'
import { createKept } from '../../src/web/graphiql/kept.ts'

function keptOver(items: Record<string, string> = {}) {
  const storage = new Map(Object.entries(items))
  const editorStorage = createKept({
    getItem: (key) => storage.get(key) ?? null,
    setItem: (key, value) => storage.set(key, value),
    removeItem: (key) => storage.delete(key),
    keys: () => [...storage.keys()],
  })
  return { storage, editorStorage }
}

const operation = { query: 'query A { b }', variables: '{"c": 1}', headers: '{"Authorization": "Bearer d"}' }

test('tabs and history are stored without their headers', () => {
  const { storage, editorStorage } = keptOver()
  editorStorage.setItem('graphiql:queries', JSON.stringify({ queries: [operation] }))
  editorStorage.setItem(
    'graphiql:tabState',
    JSON.stringify({ tabs: [{ id: '1', title: 'A', ...operation }], activeTabIndex: 0 }),
  )
  expect(JSON.parse(storage.get('graphiql:queries') ?? '')).toEqual({ queries: [{ ...operation, headers: null }] })
  expect(JSON.parse(storage.get('graphiql:tabState') ?? '').tabs).toEqual([
    { id: '1', title: 'A', ...operation, headers: null },
  ])
})

test('an operation with a password is not stored, nor are its variables', () => {
  const { storage, editorStorage } = keptOver()
  const inText = { ...operation, query: 'mutation { signIn(email: "e", password: "hunter2") { token } }' }
  const inVariables = { ...operation, variables: '{"password": "hunter2"}' }
  editorStorage.setItem('graphiql:favorites', JSON.stringify({ favorites: [inText, inVariables, operation] }))
  editorStorage.setItem('graphiql:query', inText.query)
  editorStorage.setItem('graphiql:variables', inVariables.variables)
  expect(JSON.stringify([...storage])).not.toContain('hunter2')
  const { favorites } = JSON.parse(storage.get('graphiql:favorites') ?? '')
  expect(favorites[0]).toMatchObject({ query: null, variables: null })
  expect(favorites[2].query).toBe(operation.query)
  expect(storage.has('graphiql:query')).toBe(false)
})

test('headers are neither written nor read, even if stored earlier', () => {
  const { storage, editorStorage } = keptOver({
    'graphiql:shouldPersistHeaders': 'true',
    'graphiql:headers': operation.headers,
  })
  expect(editorStorage.getItem('graphiql:shouldPersistHeaders')).toBe(null)
  expect(editorStorage.getItem('graphiql:headers')).toBe(null)
  editorStorage.setItem('graphiql:headers', operation.headers)
  expect(storage.has('graphiql:headers')).toBe(false)
})

test('everything else is stored unchanged, and clearing only removes the editor`s keys', () => {
  const { storage, editorStorage } = keptOver({ other: 'stays' })
  editorStorage.setItem('graphiql:theme', 'dark')
  editorStorage.setItem('graphiql:editorFlex', '1.5')
  expect([
    editorStorage.getItem('graphiql:theme'),
    editorStorage.getItem('graphiql:editorFlex'),
    editorStorage.length,
  ]).toEqual(['dark', '1.5', 2])
  editorStorage.clear()
  expect([...storage]).toEqual([['other', 'stays']])
})
