import { box } from './hostile.ts'

/** Targets of malicious uploads: a file of another client, and a server that must receive no request. */
export interface Lure {
  /** Absolute path of a recording. */
  file: string
  /** Host and port. */
  host: string
}

const text = (lines: string[]) => new Uint8Array(Buffer.from(`${lines.join('\n')}\n`))
const addressesOf = ({ file, host }: Lure) => [file, `file://${file}`, `http://${host}/a.mp3`, `concat:${file}`]

const playlist = (address: string, first = '#EXTM3U') =>
  text([first, '#EXT-X-TARGETDURATION:9', '#EXTINF:9,', address, '#EXT-X-ENDLIST'])

/** Text files that name other files, under names of recordings. */
export function lists(lure: Lure): [name: string, bytes: Uint8Array<ArrayBuffer>][] {
  const { file, host } = lure
  const http = `http://${host}/a.mp3`
  return [
    ...addressesOf(lure).flatMap((address, i): [string, Uint8Array<ArrayBuffer>][] => [
      [`hls-${i}.mp3`, playlist(address)],
      [`late-${i}.mp3`, playlist(address, '\n\n#EXTM3U')],
      [`no-head-${i}.m3u`, text([address])],
      [
        `key-${i}.m4a`,
        text([
          '#EXTM3U',
          '#EXT-X-TARGETDURATION:9',
          `#EXT-X-KEY:METHOD=AES-128,URI="${address}"`,
          '#EXTINF:9,',
          address,
        ]),
      ],
      [
        `map-${i}.mp4`,
        text(['#EXTM3U', '#EXT-X-TARGETDURATION:9', `#EXT-X-MAP:URI="${address}"`, '#EXTINF:9,', address]),
      ],
      [`concat-${i}.wav`, text(['ffconcat version 1.0', `file '${address}'`])],
      [
        `dash-${i}.mp3`,
        text([
          '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S"><Period><AdaptationSet mimeType="audio/mp4">',
          `<Representation id="1" bandwidth="1"><BaseURL>${address}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
        ]),
      ],
    ]),
    [
      'call.mp3',
      text([
        'v=0',
        `o=- 0 0 IN IP4 ${host}`,
        's=x',
        'c=IN IP4 127.0.0.1',
        't=0 0',
        `m=audio ${host.split(':')[1]} RTP/AVP 0`,
      ]),
    ],
    ['sheet.cue', text([`FILE "${file}" WAVE`, '  TRACK 01 AUDIO', '    INDEX 01 00:00:00'])],
    ['station.pls', text(['[playlist]', 'NumberOfEntries=1', `File1=${http}`])],
    [
      'shared.xspf',
      text([`<playlist version="1"><trackList><track><location>${http}</location></track></trackList></playlist>`]),
    ],
    ['stream.asx', text([`<asx version="3.0"><entry><ref href="${http}"/></entry></asx>`])],
    ['stream.wma', text(['[Reference]', `Ref1=${http}`])],
    ['smil.mp3', text([`<smil><body><audio src="${http}"/></body></smil>`])],
    ['real.ram', text([http])],
    [
      'picture.mp3',
      text([
        `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="${http}"/></svg>`,
      ]),
    ],
    ['page.eps', text(['%!PS-Adobe-3.0 EPSF-3.0', `(${file}) run`])],
    ['titles.srt', text(['1', '00:00:00,000 --> 00:00:09,000', file])],
    ['lines.ffmeta', text([';FFMETADATA1', `title=${file}`])],
    ['frames.y4m', text([`YUV4MPEG2 W1 H1 F1:1 ${file}`])],
    ['archive.mp3', new Uint8Array(Bun.gzipSync(playlist(file)))],
    ['archive.zip', new Uint8Array(Buffer.concat([Buffer.from('PK\x03\x04\x14\0\0\0\0\0', 'latin1'), playlist(file)]))],
  ]
}

/** Boxes that contain other boxes. */
const nodes = ['moov', 'trak', 'mdia', 'minf', 'dinf']

/** An ISO file with the content of a box replaced; its media data must precede its index. */
function withBox(bytes: Buffer, type: string, content: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at)
    const boxType = bytes.toString('latin1', at + 4, at + 8)
    const inner = bytes.subarray(at + 8, at + size)
    const isPath = nodes.includes(boxType)
    parts.push(
      boxType === type
        ? box(type, content)
        : isPath
          ? box(boxType, withBox(inner, type, content))
          : bytes.subarray(at, at + size),
    )
    at += size
  }
  return Buffer.concat(parts)
}

const reference = (entry: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), entry])

/** A Macintosh alias, as QuickTime stores it: volume, name, absolute path. */
function alias(path: string): Buffer {
  const head = Buffer.alloc(154)
  head.writeUInt8(4, 14)
  head.write('disk', 15)
  head.writeUInt8(4, 54)
  head.write('tone', 55)
  head.writeUInt16BE(0xffff, 134)
  head.writeUInt16BE(0xffff, 136)
  const name = Buffer.from(path.length % 2 ? `${path}\0` : path)
  const record = Buffer.alloc(4)
  record.writeUInt16BE(2)
  record.writeUInt16BE(path.length, 2)
  return Buffer.concat([head, record, name, Buffer.from([0xff, 0xff, 0, 0])])
}

/**
 * Recordings whose samples are in another file, or claim to be.
 * @param m4a a sound one
 */
export function movies({ file, host }: Lure, m4a: Uint8Array): [name: string, bytes: Uint8Array<ArrayBuffer>][] {
  const source = Buffer.from(m4a)
  const flags = Buffer.alloc(4)
  const ftyp = box('ftyp', Buffer.from('qt  \0\0\0\0qt  '))
  const pointing = (address: string) =>
    box(
      'moov',
      box(
        'rmra',
        box(
          'rmda',
          box(
            'rdrf',
            Buffer.concat([
              flags,
              Buffer.from('url '),
              Buffer.from([0, 0, 0, address.length + 1]),
              Buffer.from(`${address}\0`),
            ]),
          ),
        ),
      ),
    )
  return [
    ['url.mov', withBox(source, 'dref', reference(box('url ', [flags, Buffer.from(`file://${file}\0`)])))],
    ['http.mov', withBox(source, 'dref', reference(box('url ', [flags, Buffer.from(`http://${host}/a.mov\0`)])))],
    ['urn.mov', withBox(source, 'dref', reference(box('urn ', [flags, Buffer.from(`urn:x\0file://${file}\0`)])))],
    ['alias.mov', withBox(source, 'dref', reference(box('alis', [flags, alias(file)])))],
    ['reference.mov', Buffer.concat([ftyp, pointing(`file://${file}`)])],
    ['reference-http.mov', Buffer.concat([ftyp, pointing(`http://${host}/a.mov`)])],
  ].map(([name, bytes]) => [name as string, new Uint8Array(bytes as Buffer)])
}

function frame(id: string, content: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.write(id)
  head.writeUInt32BE(content.length, 4)
  return Buffer.concat([head, content])
}

/** An MP3 whose tag links to pictures and pages elsewhere. */
export function linked({ file, host }: Lure, mp3: Uint8Array): Uint8Array<ArrayBuffer> {
  const frames = Buffer.concat([
    frame('APIC', Buffer.from(`\0-->\0\x03cover\0http://${host}/cover.jpg`, 'latin1')),
    frame('APIC', Buffer.from(`\0image/svg+xml\0\x04x\0<svg><image href="file://${file}"/></svg>`, 'latin1')),
    frame('WXXX', Buffer.from(`\0\0http://${host}/`, 'latin1')),
    frame('WOAF', Buffer.from(`http://${host}/a.mp3`, 'latin1')),
    frame('LINK', Buffer.from(`APIC${file}\0`, 'latin1')),
    frame('TIT2', Buffer.from(`\0concat:${file}`, 'latin1')),
  ])
  const size = Buffer.from([21, 14, 7, 0].map((bits) => (frames.length >> bits) & 127))
  return new Uint8Array(Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), size, frames, mp3]))
}

/** File names that a program may interpret as something else. */
export const names = ({ file, host }: Lure) => [
  ...[`concat:${file}|${file}`, `http://${host}/a.mp3`, `subfile,,start,0,end,0,,:${file}`, `file:${file}`, '-i'],
  ...['../../../../etc/passwd.wav', `data:audio/wav;base64,UklGRg==`, '|cat', '$(touch x).wav', '%05d.wav', '-y.mp3'],
]
