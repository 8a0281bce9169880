import { find } from './page.ts'

const choice = find<HTMLSelectElement>('sleep')
let timer: ReturnType<typeof setTimeout> | undefined

/** Ends the sound after the minutes that a listener chooses. */
export function startSleepTimer(pause: () => void): void {
  choice.addEventListener('change', () => {
    clearTimeout(timer)
    const minutes = Number(choice.value)
    if (minutes > 0) timer = setTimeout(() => endSleep(pause), minutes * 60_000)
  })
}

/** Whether the end of this track ends the sound. Only once. */
export function isLastTrack(): boolean {
  if (choice.value !== 'end') return false
  choice.value = ''
  return true
}

function endSleep(pause: () => void) {
  choice.value = ''
  pause()
}
