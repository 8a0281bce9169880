const signatures: RegExp[] = [
  /^\xff\xd8\xff/, // JPEG
  /^\x89PNG\r\n/,
  /^RIFF[\s\S]{4}WEBP/,
  /^GIF8[79]a/,
]

/**
 * Returns whether a file begins with the signature of JPEG, PNG, WebP or GIF. Other files never reach a decoder, in
 * particular formats that can reference files or contain programs (SVG, PDF, EPS).
 * @param file local path
 */
export async function beginsLikePicture(file: string): Promise<boolean> {
  const head = Buffer.from(await Bun.file(file).slice(0, 16).arrayBuffer()).toString('latin1')
  return signatures.some((signature) => signature.test(head))
}
