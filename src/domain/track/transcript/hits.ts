import type { Context } from '../../../platform/context.ts'
import { mapInPieces, nextTurn } from '../../../platform/pieces.ts'
import { foldText } from '../../collection/search.ts'
import { parseCues, readTranscriptForm, TRANSCRIPT_HEAD } from './forms.ts'

/** A passage of a transcript that has words of a search. */
export interface TranscriptHit {
  /** Place in the recording. Null in a text without times. */
  startSeconds: number | null
  endSeconds: number | null
  speaker: string | null
  /** Of the transcript: a BCP 47 tag, or null. */
  language: string | null
  /** The text of the passage in pieces, with those words marked. */
  parts: HitPart[]
}

export interface HitPart {
  text: string
  isMatch: boolean
}

export const MAX_HITS = 20

interface Passage extends Omit<TranscriptHit, 'parts' | 'language'> {
  text: string
  words: readonly string[]
}

/** A cue, or a text without times. */
interface TimedText extends Pick<Passage, 'startSeconds' | 'endSeconds' | 'text'> {
  /** Empty without a name. */
  speaker: string
}

/** Passages of at most 200 characters, cut between words where there is a space. */
const PASSAGE = /\S[^\n]{0,199}(?=\s|$)|\S{1,200}/g
/** A word, or one character of a script that separates no words. */
const WORD =
  /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[\p{L}\p{N}\p{M}])+/gu

/** Reads the passages with their words, in pieces: 10,000 words take 20 ms. */
async function readPassages(transcript: string): Promise<Passage[]> {
  await nextTurn()
  const isTimed = readTranscriptForm(transcript.slice(0, TRANSCRIPT_HEAD)) !== 'txt'
  const cues: TimedText[] = isTimed
    ? parseCues(transcript)
    : [{ startSeconds: null, endSeconds: null, speaker: '', text: transcript }]
  const passages = await mapInPieces(cues, ({ text, speaker, ...span }) =>
    Array.from((isTimed ? text.replaceAll('\n', ' ') : text).match(PASSAGE) ?? [], (text) => ({
      ...span,
      speaker: speaker || null,
      text,
    })),
  )
  return mapInPieces(passages.flat(), (passage) => ({ ...passage, words: passage.text.match(WORD) ?? [] }))
}

/**
 * Finds the passages of a transcription that have most of the words of a search, in the order of the recording. Words are
 * compared as those of the filter `transcript` (decision 0086), by the database.
 * @param count at most MAX_HITS
 */
export async function findHits(
  ctx: Context,
  { text, language }: { text: string; language: string | null },
  search: string,
  count: number,
): Promise<TranscriptHit[]> {
  const passages = await readPassages(text)
  const places = await findPlaces(ctx, new Set(passages.flatMap(({ words }) => words)), language, search)
  if (places.size === 0) return []
  const ranked = await mapInPieces([...passages.entries()], ([at, passage]) => ({
    passage,
    at,
    rank: countPlaces(passage, places),
  }))
  return ranked
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank || one.at - other.at)
    .slice(0, count)
    .sort((one, other) => one.at - other.at)
    .map(({ passage: { text, words: _, ...span } }) => ({ ...span, language, parts: markWords(text, places) }))
}

/**
 * Finds the first translation of a track that has each word of a search.
 * @returns null where the transcription has them, or no translation does
 */
export async function findTranslation(
  ctx: Context,
  { id, organizationId }: { id: string; organizationId: string },
  search: string,
): Promise<{ text: string; language: string } | null> {
  const text = `
    WITH searched AS MATERIALIZED (SELECT transcript_query($2::uuid, $3) AS query)
    SELECT t.text, t.language FROM translation t, searched
    WHERE t.track_id = $1::uuid AND t.words @@ query
      AND NOT EXISTS (SELECT FROM transcript_words w WHERE w.track_id = $1::uuid AND w.words @@ query)
    ORDER BY t.language LIMIT 1`
  const [row] = await ctx.lists.query({ text, values: [id, organizationId, search] }, ctx.signal)
  return row ? { text: String(row[0]), language: String(row[1]) } : null
}

/** Places of a search by the word that matches there. */
type Places = ReadonlyMap<string, readonly string[]>

async function findPlaces(ctx: Context, words: ReadonlySet<string>, language: string | null, search: string) {
  const lowerCase = new Map(
    await mapInPieces([...words], (word) => [word, word.normalize('NFC').toLowerCase()] as const),
  )
  const compared = [...new Set(lowerCase.values())]
  const folded = await mapInPieces(compared, (word) => foldText(word).trim())
  // As texts: the driver takes ten times as long for arrays.
  const text = String.raw`SELECT word, places FROM words_found(string_to_array($1, E'\n'), string_to_array($2, E'\n'), $3, $4)`
  const values = [compared.join('\n'), folded.join('\n'), language, search]
  const rows = await ctx.lists.query({ text, values }, ctx.signal)
  const placesByWord = new Map(rows as unknown as [string, string[]][])
  const entries = [...lowerCase].map(([word, lower]) => [word, placesByWord.get(lower) ?? []] as const)
  return new Map(entries.filter(([, places]) => places.length > 0))
}

const countPlaces = ({ words }: Passage, places: Places) =>
  new Set(words.flatMap((word) => places.get(word) ?? [])).size

/** Cuts a text at the words that match. Neighbors of one kind are one part. */
function markWords(text: string, places: Places): HitPart[] {
  const parts: HitPart[] = []
  const add = (text: string, isMatch: boolean) => {
    const last = parts.at(-1)
    if (last?.isMatch === isMatch) last.text += text
    else if (text !== '') parts.push({ text, isMatch })
  }
  let end = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    add(text.slice(end, index), false)
    add(word, places.has(word))
    end = index + word.length
  }
  add(text.slice(end), false)
  return parts
}
