/** Languages of Whisper by their codes, all with names in English that it answers with. */
const codes =
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja ' +
  'jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq ' +
  'sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh'
/** Its names for languages that the Unicode CLDR names otherwise. */
const ownNames: Record<string, string> = {
  castilian: 'es',
  cantonese: 'yue',
  flemish: 'nl',
  haitian: 'ht',
  jw: 'jv',
  letzeburgesch: 'lb',
  moldavian: 'ro',
  moldovan: 'ro',
  myanmar: 'my',
  nynorsk: 'nn',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  tagalog: 'tl',
  valencian: 'ca',
}

let byName: ReadonlyMap<string, string> | undefined

function readNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language' })
  byName ??= new Map([
    ...codes.split(' ').map((code) => [(names.of(code) ?? code).toLowerCase(), code] as const),
    ...Object.entries(ownNames),
  ])
  return byName
}

/**
 * Returns the BCP 47 tag of a language that a recognizer answers with: some name it in English, others by its code.
 * @returns null for an unknown one
 */
export function readLanguage(answer: string): string | null {
  const text = answer.trim().toLowerCase()
  const named = readNames().get(text)
  if (named) return named
  return codes.split(' ').includes(text) ? text : null
}

/** Returns the part of a BCP 47 tag that recognizers take: ISO 639-1, such as `de` of `de-AT`. */
export const toRecognizedLanguage = (tag: string): string => tag.split('-')[0]?.toLowerCase() ?? tag
