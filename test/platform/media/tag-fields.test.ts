import { expect, test } from 'bun:test'
import { toFields } from '../../../src/platform/media/tags/fields.ts'

const readFields = (tags: Record<string, string | string[]>) =>
  Object.fromEntries(toFields(tags).map(({ name, values }) => [name, values.join('|')]))

const fields: [name: string, keys: string[]][] = [
  ['isrc', ['ISRC', 'TSRC', 'isrc']],
  ['album_artist', ['album_artist', 'ALBUMARTIST', 'Album Artist']],
  ['date', ['date', 'YEAR', 'TYER']],
  ['bpm', ['BPM', 'TBPM', 'tmpo']],
  ['lyrics', ['lyrics', 'lyrics-eng', 'lyrics-a-description-deu', 'UNSYNCEDLYRICS']],
  ['sort_artist', ['artist-sort', 'ARTISTSORT', 'sort_artist']],
  ['musicbrainz_trackid', ['MusicBrainz Track Id', 'MUSICBRAINZ_TRACKID']],
  ['compilation', ['compilation', 'TCMP', 'itunescompilation']],
]
test.each(fields)('%s is the name of a field for all containers', (name, keys) => {
  expect(keys.map((key) => [key, readFields({ [key]: 'v' })])).toEqual(keys.map((key) => [key, { [name]: 'v' }]))
})

test('the name of an unknown field is kept', () => {
  expect(readFields({ 'My Own Field': 'v' })).toEqual({ 'My Own Field': 'v' })
})

test.each([
  'encoder encoded_by encoding encoder_settings encoding_tool tsse handler_name vendor_id major_brand',
  'minor_version compatible_brands creation_time timecode time_reference umid coding_history',
  'replaygain_track_gain replaygain_album_gain r128_track_gain r128_album_gain itunnorm itunsmpb',
  'id3v2_priv.google/storeid metadata_block_picture coverart coverartmime tlen duration bps _statistics_tags',
  'account_id purchase_date',
])('is not a tag of the music: %s', (keys) => {
  expect(readFields(Object.fromEntries(keys.split(' ').map((key) => [key, 'v'])))).toEqual({})
})

test('an undefined language is dropped', () => {
  expect(readFields({ language: 'und' })).toEqual({})
  expect(readFields({ language: 'deu' })).toEqual({ language: 'deu' })
})

test('a separate total is joined to its number', () => {
  expect(readFields({ track: '3', tracktotal: '12', disc: '1', totaldiscs: '2' })).toEqual({
    track: '3/12',
    disc: '1/2',
  })
  expect(readFields({ track: '3/10', tracktotal: '12' })).toEqual({ track: '3/10' })
  expect(readFields({ tracktotal: '12' })).toEqual({})
})

test('the standard name of a field takes precedence, else the first', () => {
  expect(readFields({ year: '1999', date: '2001-02-03' })).toEqual({ date: '2001-02-03' })
  expect(readFields({ date: '2001-02-03', year: '1999' })).toEqual({ date: '2001-02-03' })
  expect(readFields({ tyer: '1999', year: '2000' })).toEqual({ date: '1999' })
})

test('line breaks are normalized, control characters and empty values are removed', () => {
  expect(readFields({ comment: 'a\r\nb\rc\u0000\u0007\td', genre: '  ', artist: '\u0001' })).toEqual({
    comment: 'a\nb\nc\td',
  })
})
