import { CircleUser, LogOut, Menu as MenuIcon, Search, X } from 'lucide'
import { type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { Input, SearchField } from 'react-aria-components'
import { Link, Route, Switch, useLocation } from 'wouter'
import { Icon } from '../design/icon.tsx'
import { Mark } from '../session/mark.tsx'
import { SiteLinks } from '../session/site-links.tsx'
import { useSessionStore } from '../session/use-session.ts'
import { t } from '../strings.ts'
import { useData, useIsLive } from './api.ts'
import { areaGroups, areas, recordPages } from './areas.tsx'
import { OrganizationCoverDocument } from './generated/operations.ts'
import { useLastSession } from './last-session.ts'
import { PlayerBar } from './library/player-bar.tsx'
import { PaletteKey } from './palette/palette-key.tsx'
import { Loading } from './ui/answer.tsx'
import { Boundary } from './ui/boundary.tsx'
import { Button } from './ui/button.tsx'
import { Cover } from './ui/cover.tsx'
import { Notices } from './ui/notice.tsx'
import { PageHeading } from './ui/page-heading.tsx'
import { DropAnywhere } from './upload/drop-anywhere.tsx'
import { UploadPanel } from './upload/upload-panel.tsx'

/** The frame of all parts: header, menu and the part that the address names. */
export function Shell() {
  const [address] = useLocation()
  const menu = useMenu(address)
  return (
    <>
      <a className="skip" href="#content">
        {t('studio.skip')}
      </a>
      <Header menu={menu} />
      <Interruption />
      <div className="frame">
        <Menu isOpen={menu.isOpen} onOpened={menu.close} />
        <main id="content" tabIndex={-1}>
          <Boundary key={findRecord(address)}>
            <Suspense fallback={<Loading />}>
              <Switch>
                {areas.map(({ path, Page, nested }) => (
                  <Route key={path} path={path} nest={nested}>
                    <Page />
                  </Route>
                ))}
                {recordPages.map(({ path, Page }) => (
                  <Route key={path} path={path}>
                    <Page />
                  </Route>
                ))}
                <Route>
                  <PageHeading text={t('studio.notFound')} />
                </Route>
              </Switch>
            </Suspense>
          </Boundary>
        </main>
      </div>
      <div className="foot">
        <UploadPanel />
        <PlayerBar />
      </div>
      <DropAnywhere />
      <Notices />
      <PaletteKey />
    </>
  )
}

/** The address of a page without that of its tab, so that a page stays when a person changes its tab. */
const findRecord = (address: string) => address.split('/', 3).join('/')

interface MenuState {
  isOpen: boolean
  toggle: () => void
  close: () => void
  button: RefObject<HTMLButtonElement | null>
}

/** The menu of a narrow window. Another address closes it, and Escape, which returns the focus to its button. */
function useMenu(address: string): MenuState {
  const [openAt, setOpenAt] = useState<string | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isOpen = openAt === address
  // Otherwise the menu would be open again after a way back to its address.
  if (openAt !== null && !isOpen) setOpenAt(null)
  useEffect(() => {
    if (!isOpen) return
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      setOpenAt(null)
      button.current?.focus()
    }
    document.addEventListener('keydown', closeOnEscape)
    return () => document.removeEventListener('keydown', closeOnEscape)
  }, [isOpen])
  return { isOpen, toggle: () => setOpenAt(isOpen ? null : address), close: () => setOpenAt(null), button }
}

function Header({ menu }: { menu: MenuState }) {
  return (
    <header className="bar">
      <Button ref={menu.button} kind="bare" className="menu-button" aria-expanded={menu.isOpen} onPress={menu.toggle}>
        <Icon of={menu.isOpen ? X : MenuIcon} /> {t('studio.menu')}
      </Button>
      <Link href="/" className="brand">
        <Mark /> Tonearm
      </Link>
      <Find />
    </header>
  )
}

/** Says that what is shown may be old. */
function Interruption() {
  const isLive = useIsLive()
  return (
    <p className="interruption" role="status">
      {isLive ? null : t('studio.notLive')}
    </p>
  )
}

const isMac = /^Mac|iPhone|iPad/.test(navigator.platform)

/** Finds collections and tracks, from every part. In the menu of a narrow window. */
function Find({ onFound }: { onFound?: () => void }) {
  const [, navigate] = useLocation()
  const find = (text: string) => {
    navigate(`/search?${new URLSearchParams({ search: text.trim() })}`)
    onFound?.()
  }
  return (
    <SearchField className="find around" aria-label={t('studio.find')} maxLength={200} onSubmit={find}>
      <Icon of={Search} />
      <Input placeholder={t('studio.find')} aria-keyshortcuts="Control+K Meta+K" />
      <kbd className="keys">{isMac ? '⌘K' : t('palette.keys')}</kbd>
    </SearchField>
  )
}

function Menu({ isOpen, onOpened }: { isOpen: boolean; onOpened: () => void }) {
  const [location] = useLocation()
  const isCurrent = (path: string, records?: string) =>
    (path === '/' ? location === '/' : location.startsWith(path)) || (records && location.startsWith(records))
  return (
    <nav className={isOpen ? 'menu open' : 'menu'} aria-label={t('studio.menu')}>
      <Organization />
      <Find onFound={onOpened} />
      {areaGroups.map((name) => (
        <ul key={name} aria-label={t(`studio.${name}`)}>
          {areas
            .filter(({ group }) => group === name)
            .map(({ path, name, icon, records }) => (
              <li key={path}>
                <Link href={path} aria-current={isCurrent(path, records) ? 'page' : undefined} onClick={onOpened}>
                  <Icon of={icon} /> {t(name)}
                </Link>
              </li>
            ))}
        </ul>
      ))}
      <SiteLinks />
      <Account onOpened={onOpened} />
    </nav>
  )
}

/** The cover and name of the organization. */
function Organization() {
  const session = useLastSession()
  const { data } = useData(OrganizationCoverDocument, { id: session?.organizationId ?? '' })
  if (!session?.organizationName) return null
  return (
    <p className="organization">
      <Cover url={data?.organization?.coverImage?.small.url} title={session.organizationName} />
      <span className="organization-name">{session.organizationName}</span>
    </p>
  )
}

/** The signed-in administrator, as a link to the settings of the account. */
function Account({ onOpened }: { onOpened: () => void }) {
  const [location] = useLocation()
  const session = useLastSession()
  const { signOut } = useSessionStore()
  if (!session) return null
  return (
    <div className="account">
      <Link
        href="/account"
        className="name"
        aria-current={location === '/account' ? 'page' : undefined}
        onClick={onOpened}
      >
        <Icon of={CircleUser} /> <span>{session.name}</span>
      </Link>
      {session.role === 'viewer' && <span className="role">{t('studio.readOnly')}</span>}
      <Button kind="bare" onPress={() => void signOut()}>
        <Icon of={LogOut} /> {t('session.signOut')}
      </Button>
    </div>
  )
}
