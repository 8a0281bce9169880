import { HISTORY_PLUGIN } from '@graphiql/plugin-history'
import { pick, useGraphiQL } from '@graphiql/react'
import type { Fetcher } from '@graphiql/toolkit'
import { GraphiQL } from 'graphiql'
import { useEffect } from 'react'
import { Mark } from '../session/mark.tsx'
import { SiteLinks } from '../session/site-links.tsx'
import { useSession, useSessionStore } from '../session/use-session.ts'
import { EXAMPLES_PLUGIN, examples } from './examples.tsx'
import { createKept } from './kept.ts'

// Created once: the editor restarts with every other list.
const plugins = [EXAMPLES_PLUGIN, HISTORY_PLUGIN]
const editorStorage = createKept({
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
  removeItem: (key) => localStorage.removeItem(key),
  keys: () => Object.keys(localStorage),
})
const firstTabs = examples
  .filter(({ query }) => /\bquery WhoAmI\b/.test(query))
  .map(({ query, variables }) => ({ query, variables }))

/** The editor with its sidebar, under a bar with the signed-in user. */
export function Console({ fetcher, isLocked }: { fetcher: Fetcher; isLocked: boolean }) {
  return (
    <div className="console" inert={isLocked}>
      <Bar />
      <main>
        <GraphiQL
          fetcher={fetcher}
          plugins={plugins}
          visiblePlugin={EXAMPLES_PLUGIN}
          defaultTabs={firstTabs}
          storage={editorStorage}
          shouldPersistHeaders={false}
          showPersistHeadersSettings={false}
          defaultEditorToolsVisibility="variables"
          inputValueDeprecation
          schemaDescription
        >
          <GraphiQL.Logo>{null}</GraphiQL.Logo>
          <GraphiQL.Toolbar>
            {({ prettify, merge, copy }) => (
              <>
                {prettify}
                {merge}
                {copy}
                <FollowScroll />
              </>
            )}
          </GraphiQL.Toolbar>
        </GraphiQL>
      </main>
    </div>
  )
}

/** Scrolls to the active tab, and to the top of a panel that has just been shown: the panels share one element. */
function FollowScroll() {
  const { tabs, activeTabIndex, visiblePlugin } = useGraphiQL(pick('tabs', 'activeTabIndex', 'visiblePlugin'))
  return (
    <>
      <ActiveTab key={`${activeTabIndex} of ${tabs.length}`} />
      <PanelTop key={visiblePlugin?.title} />
    </>
  )
}

function ActiveTab() {
  useEffect(() => {
    document.querySelector('.graphiql-tab-active')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [])
  return null
}

/** Controls of the documentation that show another type or field. */
const TO_ANOTHER = '.graphiql-doc-explorer :is(a, [role="option"])'

function PanelTop() {
  useEffect(() => {
    const panel = document.querySelector('.graphiql-plugin')
    const toTop = () => panel?.scrollTo(0, 0)
    const follow = ({ target }: Event) => {
      // The content changes after the event.
      if (target instanceof Element && target.closest(TO_ANOTHER)) requestAnimationFrame(toTop)
    }
    toTop()
    panel?.addEventListener('click', follow)
    return () => panel?.removeEventListener('click', follow)
  }, [])
  return null
}

function Bar() {
  const { session } = useSession()
  const { signOut } = useSessionStore()
  return (
    <header className="bar">
      <h1 className="brand">
        <Mark /> Tonearm
      </h1>
      <SiteLinks />
      {session && (
        <>
          <span className="organization">{session.organizationName}</span>
          <span className="who">
            <span className="name">{session.name}</span>
            {session.role && <span className="role">{session.role}</span>}
          </span>
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        </>
      )}
    </header>
  )
}
