// Tags, byte by byte.

const little = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
export const big = (value: number) => little(value).reverse()
const syncSafe = (size: number) => Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f))

/** An ID3 tag. */
export function id3(version: 3 | 4, frames: [id: string, body: Uint8Array][]): Buffer {
  const body = Buffer.concat(
    frames.flatMap(([id, data]) => {
      const size = version === 4 ? syncSafe(data.length) : big(data.length)
      return [Buffer.from(id), size, Buffer.alloc(2), Buffer.from(data)]
    }),
  )
  return Buffer.concat([Buffer.from(`ID3${String.fromCharCode(version)}\0\0`, 'latin1'), syncSafe(body.length), body])
}
/** Text of an ID3 frame. */
export const latin1 = (text: string) => Buffer.from(`\0${text}`, 'latin1')
export const utf8 = (text: string) => Buffer.from(`\x03${text}`)

/** An APEv2 tag with a footer. Null characters separate values. */
export function ape(items: Record<string, string>): Buffer {
  const body = Buffer.concat(
    Object.entries(items).map(([name, value]) =>
      Buffer.concat([little(Buffer.byteLength(value)), little(0), Buffer.from(`${name}\0${value}`)]),
    ),
  )
  const numbers = [little(2000), little(body.length + 32), little(Object.keys(items).length), little(0)]
  return Buffer.concat([body, Buffer.from('APETAGEX'), ...numbers, Buffer.alloc(8)])
}
