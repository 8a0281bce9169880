import { Check, Copy } from 'lucide'
import { copyText } from '../copy-text.ts'
import { createIcon } from '../design/icon-element.ts'

/** Height of the header, below which a heading is read. */
const READING_LINE = 120
const COPIED_MS = 1600

/** Adds a button to each block of code that copies its text. */
export function addCopyButtons(within: ParentNode = document): void {
  for (const block of within.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.ariaLabel = 'Copy'
    button.title = 'Copy'
    button.append(createIcon(Copy))
    button.addEventListener('click', async () => {
      const isCopied = await copyText(block.querySelector('code')?.textContent ?? '')
      if (!isCopied) return
      button.replaceChildren(createIcon(Check))
      button.ariaLabel = 'Copied'
      setTimeout(() => {
        button.replaceChildren(createIcon(Copy))
        button.ariaLabel = 'Copy'
      }, COPIED_MS)
    })
    block.append(button)
  }
}

/** Marks the link to the part of the page that is being read. */
export function followReading(links: HTMLAnchorElement[]): void {
  const parts = links.flatMap((link) => {
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)))
    return target ? [{ link, target }] : []
  })
  let current: HTMLAnchorElement | undefined
  const mark = () => {
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
    const isAbove = ({ target }: { target: HTMLElement }) => target.getBoundingClientRect().top < READING_LINE
    const part = isAtEnd && scrollY > 0 ? parts.at(-1) : (parts.findLast(isAbove) ?? parts[0])
    if (part?.link === current) return
    current?.removeAttribute('aria-current')
    current = part?.link
    current?.setAttribute('aria-current', 'location')
    const list = current?.closest('.contents, .menu')
    // Only the list scrolls. scrollIntoView would move the page too.
    if (current && list && !list.matches(':popover-open')) {
      const [line, box] = [current.getBoundingClientRect(), list.getBoundingClientRect()]
      if (line.top < box.top || line.bottom > box.bottom) list.scrollTop += line.top - box.top - box.height / 3
    }
  }
  let isPlanned = false
  const plan = () => {
    if (isPlanned) return
    isPlanned = true
    requestAnimationFrame(() => {
      isPlanned = false
      mark()
    })
  }
  addEventListener('scroll', plan, { passive: true })
  addEventListener('resize', plan, { passive: true })
  mark()
}

/** Address of the index of the search, which the script element of the page names. */
export const readIndexAddress = (): string =>
  document.querySelector<HTMLScriptElement>('script[data-index]')?.dataset.index ?? ''
