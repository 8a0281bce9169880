// Checks the signature of a delivery address (guide "Behind a CDN"). For njs 0.7.9 or newer.
// biome-ignore lint/style/useNodejsImportProtocol: njs has no node: protocol
import crypto from 'crypto'

const LIFETIME_SECONDS = 3600
const SKEW_SECONDS = 30

/** Returns an empty text for a valid address, else the status to answer with. Several secrets are separated by commas. */
function verdict(r) {
  const match = /^([^?]+(?:\?download=1)?)[?&]verify=(\d{1,12})-([\w-]{43})$/.exec(r.variables.request_uri)
  if (!match) return '403'
  const issued = Number(match[2])
  const isSigned = process.env.SIGNING_SECRET.split(',').some(
    (secret) =>
      crypto
        .createHmac('sha256', secret)
        .update(match[1] + match[2])
        .digest('base64url') === match[3],
  )
  const age = Math.floor(Date.now() / 1000) - issued
  if (!isSigned || age < -SKEW_SECONDS) return '403'
  return age > LIFETIME_SECONDS ? '410' : ''
}

export default { verdict }
