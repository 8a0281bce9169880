import { describe, expect, test } from 'bun:test'
import { findCodePage } from '../../../src/platform/media/tags/code-page.ts'

/** Bytes as a reader of Latin-1 shows them. */
const asLatin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const ofHex = (hex: string) => asLatin1(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

/** Encodes letters by the positions in which Windows-1251 has them. */
const cp1251 = (text: string) =>
  asLatin1(
    Uint8Array.from(text, (character) => {
      const code = character.codePointAt(0) ?? 0
      if (code < 0x80) return code
      if (character === 'ё') return 0xb8
      if (character === 'Ё') return 0xa8
      return code - 0x410 + 0xc0
    }),
  )

const repaired = (...texts: readonly string[]) => {
  const repair = findCodePage(texts)
  return repair && texts.map(repair)
}

describe('texts of other code pages are repaired', () => {
  test.each([
    { texts: ['Привет мир'] },
    { texts: ['Группа крови', 'Кино', '1988'] },
    { texts: ['ПЕСНЯ О ДРУГЕ', 'Vladimir Vysotsky'] },
    { texts: ['Ой, мороз, мороз', 'Народная песня (remix)'] },
    { texts: ['Всё идёт по плану'] },
  ])('Windows-1251: $texts', ({ texts }) => {
    expect(repaired(...texts.map(cp1251))).toEqual([...texts])
  })

  test.each([
    ['83 4a 83 81 83 89 82 cc 89 cc', 'カメラの歌'],
    ['82 b3 82 ad 82 e7 20 28 6c 69 76 65 29', 'さくら (live)'],
  ])('Shift-JIS: %s', (hex, text) => {
    expect(repaired(ofHex(hex))).toEqual([text])
  })

  test.each([
    ['d4 c2 c1 c1 b4 fa b1 ed ce d2 b5 c4 d0 c4', '月亮代表我的心'],
    ['c4 e3 ba c3 ca c0 bd e7', '你好世界'],
  ])('GBK: %s', (hex, text) => {
    expect(repaired(ofHex(hex))).toEqual([text])
  })

  const utf8 = [
    { texts: ['Café'] },
    { texts: ['naïve – “façade”'] },
    { texts: ['Björk', 'Ágætis byrjun'] },
    { texts: ['東京'] },
  ]
  test.each(utf8)('UTF-8: $texts', ({ texts }) => {
    expect(repaired(...texts.map((text) => asLatin1(Buffer.from(text))))).toEqual([...texts])
  })
})

/** Titles and names as ISO 8859-1 or Windows-1252 writes them, and texts that resemble other encodings. */
const western = [
  'Café',
  'À la claire fontaine',
  'Où es-tu, Noël ?',
  'L’été indien',
  'Ça va',
  'ÉTÉ À LA PLAGE',
  'Für Elise',
  'Übermäßig süße Größe',
  'Die Ärzte – Männer sind Schweine',
  'ÄÖÜäöüß',
  'ÄÖÜß',
  'Motörhead',
  'Björk Guðmundsdóttir',
  'Ágætis byrjun',
  'Þú og ég',
  'Sigur Rós – Með suð í eyrum við spilum endalaust',
  'Håll om mig',
  'Åh nej',
  'ÅÄÖ',
  'åäöåäö',
  'Bæ bæ lam',
  'Æ Ø Å',
  'På æ ø å',
  'Sertões',
  'São João, coração, canção',
  'NÃO SEI',
  'CORAÇÃO',
  'Corazón partío',
  '¿Qué será, será?',
  '¡Olé!',
  'Niño mañana',
  'ÑANDÚ',
  'Perché no? Così è la vità',
  'àèìòù',
  'ÀÈÌÒÙ',
  'áéíóúñ',
  'âêîôû äëïöü',
  'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞß',
  'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ',
  '«CAFÉ»',
  'CAFÉ®',
  'Brand® & Co™',
  'No. 5 – 20 °C ± 1 µm × 2',
  '£5 and ¥100, § 3, ½ price',
  '© 1999 Foo',
  '℗ 2001',
  'Ï',
  'Ÿ',
  'Mylène Farmer',
  '†‡•…',
  'Dvořák',
]

describe('Western texts are never changed', () => {
  test.each(western)('%s', (text) => {
    const bytes = windows1252(text)
    expect(repaired(bytes)).toBeNull()
  })

  test('all of them as one tag', () => {
    expect(repaired(...western.map(windows1252))).toBeNull()
  })
})

test('one text that is not of the code page leaves all as they are', () => {
  expect(repaired(cp1251('Привет мир'), 'Café')).toBeNull()
})

test('a text of characters beyond Latin-1 is not changed, and does not decide', () => {
  expect(repaired('日本語', 'Dvořák')).toBeNull()
  expect(repaired('日本語', cp1251('Привет мир'))).toEqual(['日本語', 'Привет мир'])
})

test('a word is too short to be certain', () => {
  expect(repaired(cp1251('Кино'))).toBeNull()
})

/** As Windows-1252, whose characters at 0x80 to 0x9f ISO 8859-1 shows as controls. Others stay as they are. */
function windows1252(text: string): string {
  const decoder = new TextDecoder('windows-1252')
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code]))
  return Array.from(text, (character) => {
    const code = codes.get(character)
    return code === undefined ? character : String.fromCharCode(code)
  }).join('')
}
