/** Functions of the page for the test that drives it. */
export interface PageTools {
  createTrack: (
    base: string,
    key: string,
    collection: string,
  ) => Promise<{ ok: boolean; track_id: string; track_upload: { upload_url: string } }>
  upload: (
    url: string,
    base64: string,
  ) => Promise<{
    status: number
    size: number
    checksum: string | null
    progress: { loaded: number; total: number }[]
  }>
  load: (link: string, crossOrigin: string | null) => void
  playFor: (seconds: number) => Promise<{ error: string | null; advanced: number; duration: number }>
  seekAndPlay: (position: number, seconds: number) => Promise<{ error: string | null; from: number; advanced: number }>
  /** The loudest frequency of what is playing. */
  pitch: () => Promise<number>
}

declare global {
  interface Window {
    tonearm: PageTools
  }
}

/** A site that uploads to the service and plays from it. */
export const player = `<!doctype html>
<title>Somebody else's site</title>
<button id="play">Play</button>
<script>
  let audio
  const until = (check) => new Promise((resolve) => {
    const deadline = performance.now() + 15000
    const look = () => check() || audio.error || performance.now() > deadline ? resolve() : setTimeout(look, 20)
    look()
  })
  const failure = () => audio.error ? audio.error.code + ' ' + audio.error.message : null
  document.getElementById('play').onclick = () => audio.play()

  window.tonearm = {
    async createTrack(base, key, collection) {
      const answer = await fetch(base + '/v1/track', {
        method: 'POST',
        headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
        body: JSON.stringify({ collection_id: collection, file_name: 'tone.wav' }),
      })
      return answer.json()
    },
    upload(url, base64) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest()
        const progress = []
        request.open('PUT', url)
        request.setRequestHeader('content-type', 'audio/wav')
        request.upload.onprogress = ({ loaded, total }) => progress.push({ loaded, total })
        request.onerror = () => reject(new Error('the upload failed'))
        request.onload = () => resolve({
          status: request.status, size: bytes.length, progress,
          checksum: JSON.parse(request.responseText).sha256,
        })
        request.send(bytes)
      })
    },
    load(link, crossOrigin) {
      if (audio) audio.remove()
      audio = document.createElement('audio')
      if (crossOrigin) audio.crossOrigin = crossOrigin
      audio.src = link
      document.body.append(audio)
    },
    async playFor(seconds) {
      await until(() => audio.currentTime > 0)
      const from = audio.currentTime
      await until(() => audio.currentTime - from >= seconds)
      return { error: failure(), advanced: audio.currentTime - from, duration: audio.duration }
    },
    async seekAndPlay(position, seconds) {
      const sought = new Promise((resolve) => audio.addEventListener('seeked', resolve, { once: true }))
      audio.currentTime = position
      await sought
      const from = audio.currentTime
      await until(() => audio.currentTime - from >= seconds)
      return { error: failure(), from, advanced: audio.currentTime - from }
    },
    async pitch() {
      const context = new AudioContext()
      const analyser = context.createAnalyser()
      analyser.fftSize = 8192
      context.createMediaElementSource(audio).connect(analyser)
      analyser.connect(context.destination)
      const bins = new Uint8Array(analyser.frequencyBinCount)
      const sum = () => { analyser.getByteFrequencyData(bins); return bins.reduce((a, b) => a + b, 0) }
      await until(() => sum() > 1000)
      return bins.indexOf(Math.max(...bins)) * context.sampleRate / analyser.fftSize
    },
  }
</script>
`
