const signatures: RegExp[] = [
  /^\xff\xd8\xff/, // JPEG
  /^\x89PNG\r\n/,
  /^RIFF[\s\S]{4}WEBP/,
  /^GIF8[79]a/,
]

/**
 * Whether a file begins like a picture that covers may be: JPEG, PNG, WebP or GIF. Anything else never reaches a
 * decoder; kinds that can name other files or hold programs (SVG, PDF, EPS) are not among them.
 * @param file local path
 */
export async function beginsLikePicture(file: string): Promise<boolean> {
  const head = Buffer.from(await Bun.file(file).slice(0, 16).arrayBuffer()).toString('latin1')
  return signatures.some((signature) => signature.test(head))
}
