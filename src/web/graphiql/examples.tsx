import { type GraphiQLPlugin, pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { ask } from '../session/api.ts'
import { useSessionStore } from '../session/use-session.ts'
import { type Example, fillIn, type Ids, parseExample } from './example.ts'

export const examples: Example[] = BUILD.examples.map(parseExample)

/** Same as in the style sheet. */
const WIDE = '(width >= 760px)'

const groups = [...new Set(examples.map(({ group }) => group))].map((name) => ({
  name,
  members: examples.filter(({ group }) => group === name),
}))

/** Sidebar with ready-made operations. Each opens in a new tab. */
export const EXAMPLES_PLUGIN: GraphiQLPlugin = { title: 'Examples', icon: Icon, content: Examples }

function Examples() {
  const open = useOpen()
  return (
    <section className="examples" aria-label="Examples">
      <h2>Examples</h2>
      <p>
        Operations for daily work. Each opens in a new tab. Run it with the play button. Those marked{' '}
        <em className="writes">writes</em> change data, and ask before they run as they are.
      </p>
      {groups.map(({ name, members }) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <ul>
            {members.map((example) => (
              <li key={example.title}>
                <button type="button" disabled={!open} onClick={() => void open?.(example)}>
                  <strong>
                    {example.title} {example.isWriting && <em className="writes">writes</em>}
                  </strong>
                  <span>{example.description}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  )
}

/** The newest collection, and the newest track, if possible one that is processed. */
const NEWEST = `query Newest {
  collections(first: 1) { nodes { id } }
  ready: tracks(first: 1, filter: { status: [READY] }) { nodes { id } }
  tracks(first: 1) { nodes { id } }
}`
type Page = { nodes: { id: string }[] }

/**
 * Returns a function that opens an example in a new tab, or switches to a tab with it unchanged. Null until the editor
 * has loaded.
 */
function useOpen(): ((example: Example) => Promise<void>) | null {
  const { addTab, changeTab, setVisiblePlugin, updateActiveTabValues } = useGraphiQLActions()
  const { tabs, queryEditor, variableEditor } = useGraphiQL(pick('tabs', 'queryEditor', 'variableEditor'))
  const store = useSessionStore()
  if (!queryEditor || !variableEditor) return null

  async function readIds(template: string): Promise<Ids> {
    const organizationId = store.read().session?.organizationId
    if (!/\{(collection|track)Id\}/.test(template)) return { organizationId }
    const send = (url: string, init: RequestInit) => fetch(url, init)
    const newest = ask<Record<'collections' | 'ready' | 'tracks', Page>>(send, NEWEST, {}, await store.credential())
    // A key that may not list them opens the example without.
    const recordPages = await newest.catch(() => null)
    const track = recordPages?.ready.nodes[0] ?? recordPages?.tracks.nodes[0]
    return { organizationId, collectionId: recordPages?.collections.nodes[0]?.id, trackId: track?.id }
  }

  return async ({ query, variables: template }) => {
    const variables = fillIn(template, await readIds(template))
    const index = tabs.findIndex((tab) => tab.query === query && (tab.variables ?? '') === variables)
    if (index >= 0) changeTab(index)
    else {
      addTab()
      queryEditor.setValue(query)
      variableEditor.setValue(variables)
      updateActiveTabValues({ query, variables, operationName: null })
    }
    queryEditor.focus()
    // On a narrow screen the list covers the editor.
    if (!matchMedia(WIDE).matches) setVisiblePlugin(null)
  }
}

function Icon() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path
        d="M6 3.75h12a1.5 1.5 0 0 1 1.5 1.5v15L12 16.5l-7.5 3.75v-15A1.5 1.5 0 0 1 6 3.75Z"
        strokeLinejoin="round"
      />
      <path d="M8.5 8h7M8.5 11.5h7" strokeLinecap="round" />
    </svg>
  )
}
