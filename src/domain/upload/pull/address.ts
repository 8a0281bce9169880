import { parseTarget } from '../../../platform/egress/target.ts'
import { invalidInput } from '../../../platform/errors.ts'
import { storable } from '../../../platform/storable-text.ts'

/** Address of a recording, separated from its credentials. */
export interface SourceAddress {
  /** URL without user and password. */
  url: string
  /** User and password, as an Authorization header. */
  authorization?: string
}

/** @throws AppError `invalid_input` for an address that is not allowed; the message does not contain it */
export function readAddress(text: string, allowPrivate: boolean): SourceAddress {
  const url = URL.parse(text)
  if (!url) throw invalidAddress(allowPrivate)
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  try {
    parseTarget(url.href, allowPrivate)
  } catch {
    throw invalidAddress(allowPrivate)
  }
  if (!username && !password) return { url: url.href }
  const credentials = Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64')
  return { url: url.href, authorization: `Basic ${credentials}` }
}

const invalidAddress = (allowPrivate: boolean) =>
  invalidInput(
    'sourceUrl',
    `must be ${allowPrivate ? 'an http or https address' : 'an https address on the public internet'}`,
  )

const UNNAMED = 'track'

/** File name from the last part of the path. */
export function fileNameIn({ url }: SourceAddress): string {
  const last = new URL(url).pathname.split('/').findLast((part) => part !== '') ?? ''
  return printable(decode(last)) || UNNAMED
}

/** Removes control characters and limits the name to 1,024 characters. */
export const printable = (name: string) => storable(name.replace(/\p{Cc}/gu, ''), 1024)

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
