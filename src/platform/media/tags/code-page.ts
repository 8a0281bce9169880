// Old programs wrote titles in the code page of their country into fields that ID3 declares as Latin-1.

/**
 * Returns how to read texts that were declared as Latin-1, if they were certainly written in another encoding: UTF-8,
 * Windows-1251 (Cyrillic), Shift-JIS or GBK. Null leaves them as they are.
 *
 * A wrong repair is worse than none. Every text must be valid in the encoding, and the letters must be distributed as in
 * the language: see each rule below. Short texts are therefore not repaired.
 * @param texts all texts of one tag, as Latin-1: a program writes all of them in one code page
 */
export function findCodePage(texts: readonly string[]): ((text: string) => string) | null {
  const legacy = texts.filter((text) => /[\x80-\xff]/.test(text) && !/[^\0-\xff]/.test(text))
  if (legacy.length === 0) return null
  const codePage = codePages.find(({ label, isCertain }) => {
    const decoded = legacy.map((text) => decode(label, text))
    return decoded.every((text) => text !== null) && isCertain(decoded.join('\n'), legacy.join('\n'))
  })
  return codePage ? (text) => decode(codePage.label, text) ?? text : null
}

/** Returns null for bytes that are invalid in the encoding, and for text that is not Latin-1. */
function decode(label: string, text: string): string | null {
  if (/[^\0-\xff]/.test(text)) return null
  try {
    return new TextDecoder(label as Bun.Encoding, { fatal: true }).decode(Buffer.from(text, 'latin1'))
  } catch {
    return null
  }
}

interface CodePage {
  label: string
  /** @param decoded the texts in this encoding @param latin1 the same as Latin-1 */
  isCertain: (decoded: string, latin1: string) => boolean
}

const codePages: CodePage[] = [
  { label: 'utf-8', isCertain: isUtf8 },
  { label: 'windows-1251', isCertain: isCyrillic },
  { label: 'shift_jis', isCertain: isJapanese },
  { label: 'gbk', isCertain: isChinese },
]

const countMatches = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/**
 * Valid UTF-8 with two characters beyond ASCII, or with one whose first byte would be a capital letter after a small
 * one (`CafÃ©`), or with a byte that is a control character in Latin-1.
 */
function isUtf8(decoded: string, latin1: string): boolean {
  const others = countMatches(decoded, /[^\0-\x7f]/gu)
  return others >= 2 || /[\x80-\x9f]/.test(latin1) || /[a-z][\xc0-\xdf]/.test(latin1)
}

/** The most frequent pairs of letters in Russian, Ukrainian and Bulgarian texts. */
const cyrillicPairs = new Set(
  (
    'ст но то на ен ов ни ра во ко ро не ол ре по пр ер ет ка ла ел ло ос та ть ри ли ва ор ан ал ом го ес ль ит од де ' +
    'ат ог за ам ек ем ны ой ый ая ие ск сн ве ви да ми ма мо мы ты до со се си сл те ти тр ин ав ир же об от он ас ис ' +
    'ия им ай ки из ду лю юб бо ий ід пі ні ле че ча чт жи бе ши ут пе др ру уг ня вс сё ид дё ёт ее ей ее ых вы зн нь ' +
    'сь ся пл кр гр ук ус ур ун ул уд их ах ях бы св ед ез ог ок зв ба би га ги ме'
  ).split(' '),
)
const MIN_CYRILLIC_LETTERS = 6
const MIN_PAIR_SHARE = 0.4
const MIN_PAIRS = 3

/**
 * Words are of Cyrillic letters or of ASCII, never of both (a Western word has its accents among ASCII letters); each
 * word is in small letters, in capitals or begins with a capital; and 40 % of the pairs of letters are frequent ones.
 */
function isCyrillic(decoded: string): boolean {
  const words = decoded.match(/\p{L}+/gu) ?? []
  const cyrillic = words.filter((word) => /[Ѐ-ӿ]/.test(word))
  if (cyrillic.some((word) => !/^(?:\p{Lu}?\p{Ll}*|\p{Lu}+)$/u.test(word) || /[^Ѐ-ӿ]/.test(word))) return false
  if (countMatches(decoded, /[Ѐ-ӿ]/g) < MIN_CYRILLIC_LETTERS) return false
  const pairs = cyrillic.flatMap((word) =>
    Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2).toLowerCase()),
  )
  const frequent = pairs.filter((pair) => cyrillicPairs.has(pair)).length
  // Symbols of the code page hardly occur in titles, but in other encodings read as this one.
  return frequent >= MIN_PAIRS && frequent >= MIN_PAIR_SHARE * pairs.length && !/[\x80-\x9f¤¦¬¶·]/.test(decoded)
}

const MIN_KANA = 3

/** At least three kana of two bytes, as many as a third of the characters beyond ASCII, and no half-width kana. */
function isJapanese(decoded: string): boolean {
  const kana = countMatches(decoded, /[ぁ-ゖァ-ヺー]/g)
  const others = countMatches(decoded, /[^\0-\x7f]/gu)
  return kana >= MIN_KANA && 3 * kana >= others && !/[\uff61-\uff9f\ue000-\uf8ff]/.test(decoded)
}

/** Characters that a third of a Chinese text consists of, in titles too. */
const frequentHan =
  '的一是不了人我在有他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手' +
  '爱情歌风雨花月夜梦春秋海山水云雪红光空星飞行走回声音乐曲新老美女男孩世界再见明今永远寂寞幸福快思念等待忘记最初如果因为雷电流東西南北京城市青'
const MIN_HAN = 4

/**
 * At least four Han characters and nothing else beyond ASCII but Chinese punctuation, a third of them among the
 * frequent ones, and no ASCII letter next to one: accents of Western words have letters around them.
 */
function isChinese(decoded: string): boolean {
  const han = decoded.match(/\p{Script=Han}/gu) ?? []
  if (han.length < MIN_HAN || /[^\0-\x7f\p{Script=Han}　-〟！-～—…·“”‘’]/u.test(decoded)) return false
  if (/[a-z]\p{Script=Han}|\p{Script=Han}[a-z]/iu.test(decoded)) return false
  const frequent = han.filter((character) => frequentHan.includes(character)).length
  return frequent >= 2 && 3 * frequent >= han.length
}
