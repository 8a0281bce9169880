import shaka from 'shaka-player/dist/shaka-player.compiled.js'

export interface ShakaPage {
  /** Plays a stream with Shaka Player from a position, until some seconds later. */
  play: (address: string, from: number, seconds: number) => Promise<{ duration: number; rates: number[] }>
}
declare global {
  interface Window {
    shakaPage: ShakaPage
  }
}

async function play(address: string, from: number, seconds: number) {
  const audio = document.createElement('audio')
  document.body.append(audio)
  const player = new shaka.Player()
  await player.attach(audio)
  await player.load(address, from)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  player.addEventListener('error', (event: object) => reject(new Error(JSON.stringify(event))))
  audio.addEventListener('timeupdate', () => audio.currentTime >= from + seconds && resolve())
  await audio.play()
  await promise
  const { duration } = audio
  const rates: number[] = player.getVariantTracks().map(({ bandwidth }: { bandwidth: number }) => bandwidth)
  await player.destroy()
  audio.remove()
  return { duration, rates }
}

window.shakaPage = { play }
