import { AudioLines } from 'lucide'
import { createIcon } from '../design/icon-element.ts'
import { clock, find, type ListedTrack, pageData } from './page.ts'

/** Lists the tracks of a collection. Each is a link to its own page, which plays here when it is pressed. */
export function showTracks(choose: (at: number) => void): void {
  const { list, track } = pageData
  find('list').replaceChildren(...list.map((entry, at) => createRow(entry, at, track.subtitle, choose)))
}

function createRow(entry: ListedTrack, at: number, usualArtist: string, choose: (at: number) => void) {
  const { id, title, subtitle, durationSeconds, page } = entry
  const item = document.createElement('li')
  const number = document.createElement('span')
  number.className = 'number'
  number.ariaHidden = 'true'
  number.append(String(at + 1), createIcon(AudioLines))
  const link = document.createElement('a')
  link.href = page
  link.dataset.id = id
  link.textContent = title
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    choose(at)
  })
  const artist = document.createElement('span')
  artist.className = 'artist'
  artist.textContent = subtitle === usualArtist ? '' : subtitle
  const time = document.createElement('span')
  time.className = 'duration'
  time.textContent = durationSeconds === null ? '' : clock(durationSeconds)
  item.append(number, link, artist, time)
  return item
}

/** Marks the track that plays. */
export function markTrack(id: string): void {
  for (const link of document.querySelectorAll<HTMLElement>('#list a')) {
    const isCurrent = link.dataset.id === id
    link.setAttribute('aria-current', String(isCurrent))
    // In a frame, the list scrolls.
    if (isCurrent) link.closest('ol')?.scrollTo({ top: (link.closest('li')?.offsetTop ?? 0) - 44 })
  }
}
