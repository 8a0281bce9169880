import { ExternalLink } from 'lucide'
import { createIcon } from '../design/icon-element.ts'
import { type Chapter, clock, find } from './page.ts'

/** Lists the chapters. Each is a button that moves to its start. */
export function showChapters(chapters: readonly Chapter[], seekTo: (seconds: number) => void): void {
  const section = find<HTMLElement>('chapters')
  section.hidden = chapters.length === 0
  find('chapter-list').replaceChildren(
    ...chapters.map(({ title, startSeconds, url }) => {
      const control = document.createElement('button')
      control.type = 'button'
      control.className = 'chapter'
      const time = document.createElement('span')
      time.textContent = clock(startSeconds)
      control.append(time, title)
      control.addEventListener('click', () => seekTo(startSeconds))
      const item = document.createElement('li')
      item.append(control)
      if (url) item.append(linkTo(url, `${section.dataset.about} ${title}`))
      return item
    }),
  )
}

function linkTo(url: string, label: string) {
  const link = document.createElement('a')
  link.className = 'about'
  link.href = url
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  link.append(createIcon(ExternalLink))
  link.setAttribute('aria-label', label)
  return link
}

/** Marks the chapter that contains the position. */
export function markChapter(chapters: readonly Chapter[], now: number): void {
  const current = chapters.findLastIndex(({ startSeconds }) => startSeconds <= now)
  for (const [at, control] of document.querySelectorAll('.chapter').entries())
    control.setAttribute('aria-current', String(at === current))
}
