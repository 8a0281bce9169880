import { createSvg } from '../design/icon-element.ts'
import { WAVE, wavePath } from '../wave.ts'
import { clock, find, type Track } from './page.ts'

/** Bars that are still apart on a phone. */
const NARROW_BARS = 100
const WIDE_BARS = 160
const NARROW = 600

const wave = find<SVGSVGElement>('wave')
const marks = find<HTMLElement>('marks')
const seek = find<HTMLInputElement>('seek')
const tip = find<HTMLOutputElement>('tip')
let track: Track | null = null
let length = 0

/** Draws the levels three times: all of them, the loaded part, and the played part in the color of the music. */
export function drawWave(next: Track): void {
  track = next
  const d = wavePath(next.levels ?? [], innerWidth < NARROW ? NARROW_BARS : WIDE_BARS)
  const layer = (name: string) => {
    const clip = createSvg('clipPath', { id: name })
    clip.append(createSvg('rect', { x: 0, y: 0, width: 0, height: WAVE.height }))
    return [clip, createSvg('path', { d, class: name, 'clip-path': `url(#${name})` })]
  }
  wave.replaceChildren(createSvg('path', { d }), ...layer('loaded'), ...layer('played'))
}

const setWidth = (name: string, part: number) =>
  wave.querySelector(`#${name} rect`)?.setAttribute('width', String(WAVE.width * Math.min(1, part)))

/** @param loaded end of the part that is loaded */
export function showProgress(now: number, all: number, loaded: number): void {
  if (all !== length) {
    length = all
    showMarks()
  }
  seek.max = String(Math.max(1, all))
  seek.value = String(now)
  seek.setAttribute('aria-valuetext', `${clock(now)} / ${clock(all)}`)
  find('now').textContent = clock(now)
  find('length').textContent = clock(all)
  setWidth('played', all > 0 ? now / all : 0)
  setWidth('loaded', all > 0 ? loaded / all : 0)
}

/** Marks where chapters begin. */
function showMarks() {
  const starts = (track?.chapters ?? []).map(({ startSeconds }) => startSeconds).filter((start) => start > 0)
  marks.replaceChildren(
    ...starts.map((start) => {
      const mark = document.createElement('i')
      mark.style.left = `${(100 * start) / length}%`
      return mark
    }),
  )
}

/** The time, and the chapter, below the pointer. */
seek.addEventListener('pointermove', ({ clientX, pointerType }) => {
  const box = seek.getBoundingClientRect()
  const part = Math.min(1, Math.max(0, (clientX - box.left) / box.width))
  const seconds = part * length
  const chapter = track?.chapters.findLast(({ startSeconds }) => startSeconds <= seconds)
  tip.hidden = pointerType === 'touch' || length === 0
  tip.textContent = chapter ? `${clock(seconds)} · ${chapter.title}` : clock(seconds)
  tip.style.left = `${100 * part}%`
  tip.classList.toggle('at-end', part > 0.5)
})
seek.addEventListener('pointerleave', () => (tip.hidden = true))
