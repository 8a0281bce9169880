/** A tag under the one name that it has here, whatever its source calls it; others keep their own spelling. */
export interface Field {
  name: string
  value: string
}

interface Standard {
  name: string
  /** What else ffprobe calls it, in lower case: frames of ID3 that it does not know, and names of Vorbis comments. */
  aliases: readonly string[]
  /** Frame of ID3v2.4; `TXXX:` is the description of a text frame of the user's. */
  id3: string
  /** Atom of iTunes' list; `----:` is the name of a free one. */
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

/** Vorbis' names ignore case; in lower case ffprobe shows the same as for other containers. */
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
const byName = new Map(standards.map((row) => [row.name, row]))

/** Where a container keeps a field; null for a name that is the source's own. */
export const placeOf = (name: string, container: 'id3' | 'mp4' | 'vorbis') => byName.get(name)?.[container] ?? null

/**
 * What is no word about the music: the source's container and encoder, its lengths (a preview has others), its gains
 * (ours replace them), its pictures, and who bought it.
 */
const internal = new RegExp(
  `^(${[
    'encoder.*|encoded[ _]?by|encoding.*|encoder_settings|tool|tsse|tenc|handler_name|vendor_id|major_brand|minor_version',
    'compatible_brands|creation_time|timecode|time_reference|umid|coding_history|waveformatextensible_.*|id3v2_priv\\..*',
    'length|duration.*|tlen|tsiz|tdly|tflt|bps.*|number_of_(frames|bytes).*|_statistics_.*|accurateriplength|cuesheet',
    'replaygain_.*|r128_.*|itunnorm|itunsmpb|itunpgap|gapless_playback|mp3gain_.*|undo',
    'metadata_block_picture|coverart.*|apic|pic|account_.*|apple_?id|owner|purchase_date|ownr',
  ].join('|')})$`,
)

/** Sums that some sources keep apart from the number. */
const totals = [
  { of: 'track', keys: ['tracktotal', 'totaltracks', 'track_total', 'trackc'] },
  { of: 'disc', keys: ['disctotal', 'totaldiscs', 'disc_total', 'discc'] },
]
const MAX_NAME_CHARS = 200

/**
 * The tags of a source in the order in which it has them, under standard names where there are such, each name once.
 * @param tags as ffprobe gives them
 */
export function fieldsOf(tags: Readonly<Record<string, string>>): Field[] {
  const fields = new Map<string, Field>()
  const sums = new Map<string, string>()
  for (const [given, text] of Object.entries(tags)) {
    const [name, value] = [nameOf(given), clean(text)]
    const sum = totals.find(({ keys }) => keys.includes(given.toLowerCase()))
    if (sum) sums.set(sum.of, value)
    if (sum || !name || value === '' || (name === 'language' && value === 'und')) continue
    // A field under its standard name is what the container means; an alias beside it is second-hand.
    const id = name.toLowerCase()
    if (!fields.has(id) || id === given.toLowerCase()) fields.set(id, { name, value })
  }
  for (const [of, sum] of sums) {
    const number = fields.get(of)
    if (number && /^\d+$/.test(number.value) && /^\d+$/.test(sum)) number.value += `/${sum}`
  }
  return [...fields.values()]
}

/** Null for what is not kept. */
function nameOf(given: string): string | null {
  const key = printable(given).trim()
  const id = key.toLowerCase()
  if (key === '' || key.length > MAX_NAME_CHARS || internal.test(id)) return null
  // ID3's lyrics come with their language: `lyrics-eng`, `lyrics-DESCRIPTION-eng`.
  return /^lyrics-(.*-)?\w{3}$/.test(id) ? 'lyrics' : (byKey.get(id)?.name ?? key)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const printable = (text: string) => text.toWellFormed().replaceAll(/[\u0000-\u001f\u007f]/g, '')

/** Lines and tabs are text, the other control characters are not. */
function clean(text: string): string {
  const lines = text.toWellFormed().replaceAll(/\r\n?/g, '\n')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return lines.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trim()
}
