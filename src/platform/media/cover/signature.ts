const signatures: RegExp[] = [
  /^\xff\xd8\xff/, // JPEG
  /^\x89PNG\r\n/,
  /^RIFF[\s\S]{4}WEBP/,
  /^GIF8[79]a/,
]

/** Bytes that decide. */
export const SIGNATURE_BYTES = 16

/**
 * Returns whether bytes begin with the signature of JPEG, PNG, WebP or GIF. Other files never reach a decoder, in
 * particular formats that can reference files or contain programs (SVG, PDF, EPS).
 * @param head the first 16 bytes, or all of a shorter file
 */
export const isPictureHead = (head: Uint8Array): boolean => {
  const text = Buffer.from(head.subarray(0, SIGNATURE_BYTES)).toString('latin1')
  return signatures.some((signature) => signature.test(text))
}

/** Returns the same for a local file. */
export const beginsLikePicture = async (file: string): Promise<boolean> =>
  isPictureHead(await Bun.file(file).slice(0, SIGNATURE_BYTES).bytes())
