/** ffmpeg's speaker names, in the channel order of ffmpeg and WAV. */
const order = [
  'FL',
  'FR',
  'FC',
  'LFE',
  'BL',
  'BR',
  'FLC',
  'FRC',
  'BC',
  'SL',
  'SR',
  'TC',
  'TFL',
  'TFC',
  'TFR',
  'TBL',
  'TBC',
  'TBR',
  'WL',
  'WR',
  'LFE2',
  'TSL',
  'TSR',
  'BFC',
  'BFL',
  'BFR',
] as const
export type Speaker = (typeof order)[number]

/** Named layouts of more than two channels, as `ffmpeg -layouts` prints them. */
const layouts: Record<string, string> = {
  '2.1': 'FL+FR+LFE',
  '3.0': 'FL+FR+FC',
  '3.0(back)': 'FL+FR+BC',
  '3.1': 'FL+FR+FC+LFE',
  '4.0': 'FL+FR+FC+BC',
  '4.1': 'FL+FR+FC+LFE+BC',
  quad: 'FL+FR+BL+BR',
  'quad(side)': 'FL+FR+SL+SR',
  '5.0': 'FL+FR+FC+BL+BR',
  '5.0(side)': 'FL+FR+FC+SL+SR',
  '5.1': 'FL+FR+FC+LFE+BL+BR',
  '5.1(side)': 'FL+FR+FC+LFE+SL+SR',
  '6.0': 'FL+FR+FC+BC+SL+SR',
  '6.0(front)': 'FL+FR+FLC+FRC+SL+SR',
  hexagonal: 'FL+FR+FC+BL+BR+BC',
  '6.1': 'FL+FR+FC+LFE+BC+SL+SR',
  '6.1(back)': 'FL+FR+FC+LFE+BL+BR+BC',
  '6.1(front)': 'FL+FR+LFE+FLC+FRC+SL+SR',
  '7.0': 'FL+FR+FC+BL+BR+SL+SR',
  '7.0(front)': 'FL+FR+FC+FLC+FRC+SL+SR',
  '7.1': 'FL+FR+FC+LFE+BL+BR+SL+SR',
  '7.1(wide)': 'FL+FR+FC+LFE+BL+BR+FLC+FRC',
  '7.1(wide-side)': 'FL+FR+FC+LFE+FLC+FRC+SL+SR',
  '7.1(top)': 'FL+FR+FC+LFE+BL+BR+TFL+TFR',
  octagonal: 'FL+FR+FC+BL+BR+BC+SL+SR',
  cube: 'FL+FR+BL+BR+TFL+TFR+TBL+TBR',
  hexadecagonal: 'FL+FR+FC+BL+BR+BC+SL+SR+TFL+TFC+TFR+TBL+TBC+TBR+WL+WR',
  '22.2': 'FL+FR+FC+LFE+BL+BR+FLC+FRC+BC+SL+SR+TC+TFL+TFC+TFR+TBL+TBC+TBR+LFE2+TSL+TSR+BFC+BFL+BFR',
}

/** Layouts that ffmpeg assumes for a file that names no speakers, by number of channels from three on. */
const usual = ['2.1', '4.0', '5.0', '5.1', '6.1', '7.1']

/**
 * Returns the speakers of a recording with more than two channels, in channel order.
 * @param layout ffmpeg's name, such as `quad` or `4 channels (FL+FR+LFE+TC)`. Null or `unknown` when the file names none
 * @returns null for a layout that names no speakers, or not one per channel, and for more than eight unnamed channels
 */
export function findSpeakers(layout: string | null, channels: number): readonly Speaker[] | null {
  if (channels <= 2) return null
  const isUnnamed = layout === null || /^(unknown|\d+ channels)$/.test(layout)
  const name = isUnnamed ? (usual[channels - 3] ?? '') : layout
  const listed = Object.hasOwn(layouts, name) ? layouts[name] : /^\d+ channels \((.+)\)$/.exec(name)?.[1]
  const named = new Set(listed?.split('+'))
  const speakers = order.filter((speaker) => named.has(speaker))
  return named.size === channels && speakers.length === channels ? speakers : null
}
