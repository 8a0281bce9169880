import type { Config } from '../../config.ts'
import { SPEECH_RATE } from '../../platform/media/speech-sound.ts'
import { requestTranscript, SpeechError } from '../../platform/speech/provider.ts'
import { type Check, type DoctorFinding, describeError, ok, problem } from './finding.ts'

const ANSWER_MS = 10_000

export const speechCheck: Check = {
  name: 'speech',
  settings: ['TRANSCRIBE_URL', 'TRANSCRIBE_KEY', 'TRANSCRIBE_MODEL'],
  run: checkSpeech,
}

/** Sends a second of silence, so that address, key and model are tried as a transcription does. */
async function checkSpeech({ transcription }: Config): Promise<DoctorFinding[]> {
  if (!transcription) return [ok('TRANSCRIBE_URL is not set: no recording is transcribed')]
  const { provider } = transcription
  const place = `TRANSCRIBE_URL (${provider.url})`
  const request = {
    samples: new Int16Array(SPEECH_RATE),
    language: null,
    prompt: '',
    signal: AbortSignal.timeout(ANSWER_MS),
    clock: () => new Date(),
  }
  try {
    const { cues } = await requestTranscript(provider, { ...request, hasTimes: true })
    return [ok(`${place} answers${cues === null ? ', without times: each half a minute is a cue' : ' with times'}`)]
  } catch (error) {
    if (error instanceof SpeechError && error.code === 'no_times')
      return [ok(`${place} answers, and its model has no times: each half a minute is a cue`)]
    const remedy = 'Correct TRANSCRIBE_URL, TRANSCRIBE_KEY or TRANSCRIBE_MODEL. Check that this host reaches it.'
    return [problem(`${place}: ${describeError(error)}`, remedy)]
  }
}
