import type { FilePlan } from '../../variant/types/type.ts'
import type { FileResult, PlannedFile, Run } from '../run/run.ts'
import { makeAdaptive } from './adaptive.ts'
import { makeAudio } from './audio.ts'
import { makeCover } from './cover.ts'
import { makeLevels } from './levels.ts'
import { makeOriginal } from './original.ts'
import { makeWaveformImage, makeWaveformVideo } from './waveform.ts'

/** Makes the files of one kind. */
export interface Maker {
  /** Whether the recording has to be decoded first. */
  needsSound: boolean
  /** Share of a run's time, relative to other makers. */
  weight: number
  /** @throws MediaError for a file that cannot be made; any other error ends the run */
  make(run: Run, file: PlannedFile): Promise<FileResult>
}

export const makers: Readonly<Record<FilePlan['kind'], Maker>> = {
  audio: { needsSound: true, weight: 1, make: makeAudio },
  adaptive: { needsSound: true, weight: 2, make: makeAdaptive },
  levels: { needsSound: true, weight: 1, make: makeLevels },
  waveform_image: { needsSound: true, weight: 1, make: makeWaveformImage },
  waveform_video: { needsSound: true, weight: 20, make: makeWaveformVideo },
  original: { needsSound: false, weight: 1, make: makeOriginal },
  cover: { needsSound: false, weight: 2, make: makeCover },
}
