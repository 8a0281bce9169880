import { t } from '../strings.ts'

/** Links to the other pages of the service. The gateway writes those that are on into the page. */
const links = [...document.querySelectorAll<HTMLAnchorElement>('#site a')]
  .map((link) => ({ path: link.getAttribute('href') ?? '', name: link.textContent }))
  // The page itself, or a part of it.
  .filter(({ path }) => !`${location.pathname}/`.startsWith(`${path}/`))

export function SiteLinks() {
  return (
    <nav className="site" aria-label={t('session.pages')}>
      {links.map(({ path, name }) => (
        <a key={path} href={path} target="_blank" rel="noreferrer">
          {name}
        </a>
      ))}
    </nav>
  )
}
