import { copyText } from '../copy-text.ts'
import { clock, find, pageData } from './page.ts'

/** A page and a time that the sheet shares. */
interface SharedPlace {
  title: string
  address: string
  seconds: number
}

const sheet = find<HTMLDialogElement>('share')
const link = find<HTMLInputElement>('link')
const code = find<HTMLInputElement>('code')
const atTime = find<HTMLInputElement>('at-time')
const systemShare = find<HTMLButtonElement>('system-share')
const subscribe = find<HTMLElement>('subscribe')
let place: SharedPlace = { title: '', address: '', seconds: 0 }

/** Connects the sheet with its button. @param readPlace what plays now */
export function openShareSheet(readPlace: () => SharedPlace): void {
  find('open-share').addEventListener('click', async () => {
    place = readPlace()
    atTime.checked = place.seconds >= 1
    find<HTMLElement>('at-time-text').textContent = (find<HTMLElement>('at-time-text').dataset.text ?? '').replace(
      '{time}',
      clock(place.seconds),
    )
    code.value = writeFrame()
    showLink()
    sheet.showModal()
    const { drawQr } = await import('./qr.ts')
    drawQr(find<SVGSVGElement>('qr'), place.address)
  })
  subscribe.hidden = pageData.list.length === 0
  systemShare.hidden = !('share' in navigator)
}

function showLink() {
  const address = new URL(place.address)
  if (atTime.checked) address.searchParams.set('t', String(Math.floor(place.seconds)))
  link.value = address.href
}

function writeFrame(): string {
  const { path, width, height } = pageData.frame
  const frame = document.createElement('iframe')
  for (const [name, value] of Object.entries({ src: location.origin + path, width, height, title: document.title }))
    frame.setAttribute(name, String(value))
  frame.setAttribute('frameborder', '0')
  frame.setAttribute('allow', 'autoplay; clipboard-write')
  return frame.outerHTML
}

atTime.addEventListener('change', showLink)
// A click outside of the sheet closes it.
sheet.addEventListener('click', ({ target }) => target === sheet && sheet.close())
// The listener has closed the other program.
systemShare.addEventListener('click', () => navigator.share({ title: place.title, url: link.value }).catch(() => {}))
for (const [button, field] of [
  ['copy', link],
  ['copy-code', code],
] as const) {
  const label = find<HTMLElement>(button).querySelector('span')
  const before = label?.textContent ?? ''
  find(button).addEventListener('click', async () => {
    const isCopied = await copyText(field.value)
    if (!label) return
    label.textContent = (isCopied ? sheet.dataset.copied : sheet.dataset.notCopied) ?? ''
    setTimeout(() => (label.textContent = before), 2000)
  })
}
