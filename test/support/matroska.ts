/** An element of EBML (RFC 8794). @param id with its marker bits, in hexadecimal */
export function element(id: string, content: string | Uint8Array | Uint8Array[]): Buffer {
  const parts = Array.isArray(content) ? content : [typeof content === 'string' ? Buffer.from(content) : content]
  const body = Buffer.concat(parts)
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(body.length) | (1n << 56n))
  return Buffer.concat([Buffer.from(id, 'hex'), size, body])
}

const byte = (value: number) => Uint8Array.of(value)

/** The header of a Matroska file. */
export const ebmlHeader = (doctype: string) =>
  element('1a45dfa3', [
    element('4286', byte(1)),
    element('42f7', byte(1)),
    element('42f2', byte(4)),
    element('42f3', byte(8)),
    element('4282', doctype),
    element('4287', byte(4)),
    element('4285', byte(2)),
  ])

const SEGMENT = Buffer.from('18538067', 'hex')

/** The same film or sound with another doctype. */
export function withDoctype(file: Uint8Array, doctype: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(file)
  return new Uint8Array(Buffer.concat([ebmlHeader(doctype), bytes.subarray(bytes.indexOf(SEGMENT))]))
}
