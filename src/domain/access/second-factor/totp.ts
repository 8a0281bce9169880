import { createHmac, randomBytes } from 'node:crypto'
import { isSameText } from '../../../platform/identity/signing.ts'

// Codes that depend on the time (RFC 6238), in the form that every app supports: SHA-1, 30 seconds, six digits.

const STEP_MS = 30_000
const DIGITS = 6
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20
/** Clocks of phones differ, and a person needs time to type: the codes before and after are accepted, too. */
const STEPS_AROUND = [0, -1, 1]

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** @returns base32 (RFC 4648), as apps take it */
export const createTotpSecret = (): string => encodeBase32(randomBytes(SECRET_BYTES))

/** Returns the code of a step. @param secret base32 */
export function computeCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  // Dynamic truncation (RFC 4226, section 5.3).
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

export const stepAt = (time: Date): number => Math.floor(time.getTime() / STEP_MS)

/** Returns the step that a code belongs to: of now, or the one before or after. Null for another code. */
export function findStep(secret: string, code: string, now: Date): number | null {
  const current = stepAt(now)
  // Each is compared, so that the time does not depend on the code.
  const steps = STEPS_AROUND.map((offset) => current + offset)
  return steps.filter((step) => isSameText(computeCode(secret, step), code))[0] ?? null
}

/** Returns the address that an app reads from a QR code (Key URI Format). */
export function writeTotpUri(issuer: string, account: string, secret: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

function encodeBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

function decodeBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
