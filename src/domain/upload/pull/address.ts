import { parseTarget } from '../../../platform/egress/target.ts'
import { invalidInput } from '../../../platform/errors.ts'

/** A recording's address, apart from what only its server may see. */
export interface SourceAddress {
  /** Without name and password. */
  url: string
  /** Name and password, as the header that they are sent in. */
  authorization?: string
}

/** @throws AppError `invalid_input` for what no recording may be taken from; says nothing of what stands in it */
export function readAddress(text: string, allowPrivate: boolean): SourceAddress {
  const url = URL.parse(text)
  if (!url) throw refused(allowPrivate)
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  try {
    parseTarget(url.href, allowPrivate)
  } catch {
    throw refused(allowPrivate)
  }
  if (!username && !password) return { url: url.href }
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { url: url.href, authorization: `Basic ${credentials}` }
}

const refused = (allowPrivate: boolean) =>
  invalidInput(
    'sourceUrl',
    `must be ${allowPrivate ? 'an http or https address' : 'an https address on the public internet'}`,
  )

const UNNAMED = 'track'

/** The last part of an address's path, as a name of a file. */
export function fileNameIn({ url }: SourceAddress): string {
  const last = new URL(url).pathname.split('/').findLast((part) => part !== '') ?? ''
  return printable(decoded(last)) || UNNAMED
}

/** What is no control character, within the bound of every name. */
export const printable = (name: string) =>
  name
    .replace(/\p{Cc}/gu, '')
    .toWellFormed()
    .slice(0, 1024)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
