/** A tag under its standard name. Other tags keep their spelling. */
export interface TagField {
  name: string
  values: readonly [first: string, ...others: string[]]
}

interface Standard {
  name: string
  /** ffprobe's other names, in lower case: unknown frames of ID3, and names of Vorbis comments. */
  aliases: readonly string[]
  /** Frame of ID3v2.4. `TXXX:` is followed by the description of a user-defined text frame. */
  id3: string
  /** Atom of iTunes' list. `----:` is followed by the name of a freeform atom. */
  mp4: string
  vorbis: string
}

const standard = (name: string, id3: string, mp4: string, vorbis: string, ...aliases: string[]): Standard => ({
  name,
  aliases,
  id3,
  mp4,
  vorbis,
})
const musicBrainz = (vorbis: string, title: string) =>
  standard(vorbis, `TXXX:${title}`, `----:${title}`, vorbis, title.toLowerCase())

/** Vorbis names are case-insensitive. In lower case ffprobe shows the same name as for other containers. */
const standards: readonly Standard[] = [
  standard('title', 'TIT2', '©nam', 'title', 'tit2'),
  standard('artist', 'TPE1', '©ART', 'artist', 'tpe1', 'author'),
  standard('album', 'TALB', '©alb', 'album', 'talb'),
  standard('album_artist', 'TPE2', 'aART', 'albumartist', 'albumartist', 'album artist', 'tpe2'),
  standard('composer', 'TCOM', '©wrt', 'composer', 'tcom'),
  standard('genre', 'TCON', '©gen', 'genre', 'tcon'),
  standard('date', 'TDRC', '©day', 'date', 'year', 'tdrc', 'tyer'),
  standard('track', 'TRCK', 'trkn', 'tracknumber', 'tracknumber', 'trck'),
  standard('disc', 'TPOS', 'disk', 'discnumber', 'discnumber', 'tpos', 'disk'),
  standard('comment', 'COMM', '©cmt', 'comment', 'comm'),
  standard('lyrics', 'USLT', '©lyr', 'lyrics', 'unsyncedlyrics', 'unsynced lyrics', 'uslt'),
  standard('copyright', 'TCOP', 'cprt', 'copyright', 'tcop'),
  standard('isrc', 'TSRC', '----:ISRC', 'isrc', 'tsrc'),
  standard('publisher', 'TPUB', '----:publisher', 'publisher', 'tpub', 'organization'),
  standard('label', 'TPUB', '----:LABEL', 'label'),
  standard('bpm', 'TBPM', 'tmpo', 'bpm', 'tbpm', 'tempo', 'tmpo'),
  standard('language', 'TLAN', '----:LANGUAGE', 'language', 'tlan'),
  standard('compilation', 'TCMP', 'cpil', 'compilation', 'tcmp', 'itunescompilation'),
  standard('grouping', 'TIT1', '©grp', 'grouping', 'tit1', 'contentgroup'),
  standard('subtitle', 'TIT3', '----:SUBTITLE', 'subtitle', 'tit3'),
  standard('performer', 'TPE3', '----:performer', 'performer', 'tpe3'),
  standard('remixer', 'TPE4', '----:REMIXER', 'remixer', 'tpe4'),
  standard('lyricist', 'TEXT', '----:LYRICIST', 'lyricist', 'text'),
  standard('mood', 'TMOO', '----:MOOD', 'mood', 'tmoo'),
  standard('initialkey', 'TKEY', '----:initialkey', 'initialkey', 'tkey'),
  standard('media', 'TMED', '----:MEDIA', 'media', 'tmed'),
  standard('originaldate', 'TDOR', '----:ORIGINALDATE', 'originaldate', 'tdor', 'tory'),
  standard('sort_name', 'TSOT', 'sonm', 'titlesort', 'title-sort', 'titlesort', 'tsot'),
  standard('sort_artist', 'TSOP', 'soar', 'artistsort', 'artist-sort', 'artistsort', 'tsop'),
  standard('sort_album', 'TSOA', 'soal', 'albumsort', 'album-sort', 'albumsort', 'tsoa'),
  standard('sort_album_artist', 'TSO2', 'soaa', 'albumartistsort', 'albumartistsort', 'tso2'),
  standard('sort_composer', 'TSOC', 'soco', 'composersort', 'composersort', 'tsoc'),
  musicBrainz('musicbrainz_trackid', 'MusicBrainz Track Id'),
  musicBrainz('musicbrainz_albumid', 'MusicBrainz Album Id'),
  musicBrainz('musicbrainz_artistid', 'MusicBrainz Artist Id'),
  musicBrainz('musicbrainz_albumartistid', 'MusicBrainz Album Artist Id'),
  musicBrainz('musicbrainz_releasegroupid', 'MusicBrainz Release Group Id'),
  musicBrainz('musicbrainz_releasetrackid', 'MusicBrainz Release Track Id'),
  musicBrainz('musicbrainz_workid', 'MusicBrainz Work Id'),
  musicBrainz('acoustid_id', 'Acoustid Id'),
]
const byKey = new Map(standards.flatMap((row) => [row.name, ...row.aliases].map((key) => [key, row] as const)))
/** Standard names by frame of ID3 and atom of iTunes' list, in lower case, without prefixes of freeform ones. */
const byPlace = new Map(
  standards.flatMap(({ name, id3, mp4 }) => [id3, mp4].map((place) => [bareName(place).toLowerCase(), name] as const)),
)
const byName = new Map(standards.map((row) => [row.name, row]))

/** Frames of ID3v2.2 by those of ID3v2.4. */
const id3v22 = new Map(
  Object.entries({
    TT1: 'TIT1',
    TT2: 'TIT2',
    TT3: 'TIT3',
    TP1: 'TPE1',
    TP2: 'TPE2',
    TP3: 'TPE3',
    TP4: 'TPE4',
    TAL: 'TALB',
    TCM: 'TCOM',
    TCO: 'TCON',
    TYE: 'TDRC',
    TRK: 'TRCK',
    TPA: 'TPOS',
    COM: 'COMM',
    ULT: 'USLT',
    TCR: 'TCOP',
    TRC: 'TSRC',
    TPB: 'TPUB',
    TBP: 'TBPM',
    TLA: 'TLAN',
    TCP: 'TCMP',
    TXT: 'TEXT',
    TKE: 'TKEY',
    TMT: 'TMED',
    TOR: 'TDOR',
    TST: 'TSOT',
    TSP: 'TSOP',
    TSA: 'TSOA',
    TS2: 'TSO2',
    TSC: 'TSOC',
    TXX: 'TXXX',
  }),
)

/** Removes the prefix of a freeform name: `TXXX:`, `----:`, `----:com.apple.iTunes:`. */
function bareName(name: string): string {
  return name.replace(/^(?:TXXX:|----:(?:[^:]*:)?)/, '')
}

/**
 * Returns the name of a tag for all containers, in lower case. Null for a tag that is dropped, and for a frame or an atom
 * that is no text of the music.
 * @param name as ffprobe, or the format itself, names it
 * @param format whose names `name` is one of. Defaults to those of ffprobe.
 */
export function standardName(name: string, format?: 'id3v2' | 'itunes'): string | null {
  if (!format) return toFieldName(name)?.toLowerCase() ?? null
  const currentName = id3v22.get(name) ?? name
  const standard = byPlace.get(bareName(currentName).toLowerCase())
  const isFreeform = currentName !== bareName(currentName)
  return standard ?? (isFreeform ? standardName(bareName(currentName)) : null)
}

/** Returns a container's name of a field. Null for a nonstandard name. */
export const findPlace = (name: string, container: 'id3' | 'mp4' | 'vorbis') => byName.get(name)?.[container] ?? null

/**
 * Tags that do not describe the music: the source's container and encoder, its lengths (a preview has others), its
 * gains (ours replace them), its pictures, and its buyer.
 */
const internal = new RegExp(
  `^(${[
    'encoder.*|encoded[ _]?by|encoding.*|encoder_settings|tool|tsse|tenc|handler_name|vendor_id|major_brand|minor_version',
    'compatible_brands|creation_time|timecode|time_reference|umid|coding_history|waveformatextensible_.*|id3v2_priv\\..*',
    'length|duration.*|tlen|tsiz|tdly|tflt|bps.*|number_of_(frames|bytes).*|_statistics_.*|accurateriplength|cuesheet',
    'chapter\\d+(name|url)?|replaygain_.*|r128_.*|itunnorm|itunsmpb|itunpgap|gapless_playback|mp3gain_.*|undo',
    'metadata_block_picture|coverart.*|apic|pic|account_.*|apple_?id|owner|purchase_date|ownr',
  ].join('|')})$`,
)

/** Totals that some sources store apart from the number. */
const totals = [
  { of: 'track', keys: ['tracktotal', 'totaltracks', 'track_total', 'trackc'] },
  { of: 'disc', keys: ['disctotal', 'totaldiscs', 'disc_total', 'discc'] },
]
const MAX_NAME_CHARS = 200

/**
 * Returns the tags of a source in their order, under standard names where they exist, each name once.
 * @param tags one value, or several, by the name that ffprobe reports
 */
export function toFields(tags: Readonly<Record<string, string | readonly string[]>>): TagField[] {
  const fields = new Map<string, TagField>()
  const totalOf = new Map<string, string>()
  for (const [key, texts] of Object.entries(tags)) {
    const name = toFieldName(key)
    const [value = '', ...others] = [...new Set([texts].flat().map(clean))].filter((text) => text !== '')
    const total = totals.find(({ keys }) => keys.includes(key.toLowerCase()))
    if (total) totalOf.set(total.of, value)
    if (total || !name || value === '' || (name === 'language' && value === 'und')) continue
    // The standard name takes precedence over its aliases.
    const id = name.toLowerCase()
    if (!fields.has(id) || id === key.toLowerCase()) fields.set(id, { name, values: [value, ...others] })
  }
  for (const [name, total] of totalOf) {
    const number = fields.get(name)
    if (number && /^\d+$/.test(number.values[0]) && /^\d+$/.test(total)) {
      fields.set(name, { name, values: [`${number.values[0]}/${total}`] })
    }
  }
  return [...fields.values()]
}

/** Returns null for a tag that is dropped. */
function toFieldName(tagName: string): string | null {
  const key = printable(tagName).trim()
  const id = key.toLowerCase()
  if (key === '' || key.length > MAX_NAME_CHARS || internal.test(id)) return null
  // ID3 lyrics are named with their language: `lyrics-eng`, `lyrics-DESCRIPTION-eng`.
  return /^lyrics-(.*-)?\w{3}$/.test(id) ? 'lyrics' : (byKey.get(id)?.name ?? key)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const printable = (text: string) => text.toWellFormed().replaceAll(/[\u0000-\u001f\u007f]/g, '')

/** Removes control characters other than newlines and tabs. */
function clean(text: string): string {
  const lines = text.toWellFormed().replaceAll(/\r\n?/g, '\n')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return lines.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trim()
}
