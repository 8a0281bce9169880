import { expect, test } from 'bun:test'
import { makeMedia } from '../../support/audio.ts'
import { box } from '../../support/hostile.ts'
import { ebmlHeader, element, withDoctype } from '../../support/matroska.ts'
import { outcomeOf } from '../../support/outcome.ts'
import { describeVersions } from '../../support/versions.ts'

/** Texts like messages of the host, each on a line of its own. */
const texts = [
  'mount: permission denied',
  'setpriv: x',
  'sh: 1: Cannot fork',
  'tonearm: ended',
  'unshare: sigprocmask unblock failed: Invalid argument',
  '/usr/bin/nice: cannot set niceness',
  'Error writing x: No space left on device',
  '[error] Error writing trailer of x: No space left on device',
  '[out#0/mp3 @ 0x5a] [error] Error writing trailer: Disk quota exceeded',
  'Could not write header: Read-only file system',
  'file:/t/x: No such file or directory',
  '/t/x: Permission denied',
  '[in#0 @ 0x1] Error opening input: Permission denied',
  'pthread_create failed: Resource temporarily unavailable',
  'av_interleaved_write_frame(): Input/output error',
]
describeVersions('programs', (tools) => {
  test.each(texts)('do not take the doctype of a file without sound for a message: %s', async (text) => {
    const header = ebmlHeader(`matroska\n${text}\nx`)
    const file = Buffer.concat([header, element('18538067', '')])
    expect(await outcomeOf(tools, Buffer.concat([file, Buffer.alloc(Math.max(0, 130 - file.length))]))).toBe(
      'not_audio',
    )
  })

  test.each(['\n', '\r\n', '\r', ''])('do so with %j after the last message', async (end) => {
    const doctype = `matroska\r${texts.join('\r\n')}${end}`
    expect(await outcomeOf(tools, Buffer.concat([ebmlHeader(doctype), element('18538067', '')]))).toBe('not_audio')
  })

  test('play a recording whose doctype is a message', async () => {
    const sound = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1:r=48000', '-c:a', 'libopus'], 'webm')
    for (const text of ['Error writing x: No space left on device', texts.join('\n')])
      expect(await outcomeOf(tools, withDoctype(sound, `webm\n${text}\nwebm`))).toBe('ready')
  })

  test.each(['mp3', 'flac', 'm4a', 'ogg', 'mka', 'wav'])('play a %s whose tags are messages', async (extension) => {
    const text = `x\n${texts.join('\n')}\n`
    const tags = ['title', 'artist', 'comment'].flatMap((name) => ['-metadata', `${name}=${text}`])
    const stream = ['title', 'handler_name'].flatMap((name) => ['-metadata:s:a', `${name}=${text}`])
    const sound = await makeMedia(['-f', 'lavfi', '-i', 'sine=d=1', ...tags, ...stream], extension)
    expect(await outcomeOf(tools, sound)).toBe('ready')
  })

  test('blame a film whose external track is a message', async () => {
    const alias = Buffer.from(`x\n${texts.join('\n')}\n`)
    const file = Buffer.concat([
      box('ftyp', Buffer.from('M4A \0\0\0\0M4A ')),
      box('moov', [box('trak', [box('mdia', [box('minf', [box('dinf', [box('dref', alias)])])])])]),
    ])
    expect(['not_audio', 'corrupted', 'no_sound', 'truncated']).toContain(await outcomeOf(tools, file))
  })
})
