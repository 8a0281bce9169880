let playing: HTMLAudioElement | null = null

/** Pauses what played before: one sound plays at a time. Called when a sound begins. */
export function takeSound(audio: HTMLAudioElement): void {
  if (playing !== audio) playing?.pause()
  playing = audio
}
