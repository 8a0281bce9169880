import { describe, expect, test } from 'bun:test'
import ffmpeg from '@ffmpeg-installer/ffmpeg'
import ffprobe from '@ffprobe-installer/ffprobe'
import { findTools, readVersion } from '../../../src/platform/media/ffmpeg/tools.ts'

const output = (version: string, libavcodec: string) =>
  `ffmpeg version ${version} Copyright (c) 2000-2026 the FFmpeg developers
built with gcc 12 (Debian 12.2.0-14+deb12u1)
libavutil      57. 28.100 / 57. 28.100
libavcodec     ${libavcodec}
libavformat    59. 27.100 / 59. 27.100
`

describe('readVersion', () => {
  test.each([
    ['a release of Debian', '5.1.9-0+deb12u1', '59. 37.100 / 59. 37.100', false],
    ['the first release that is new enough', '5.0', '59. 18.100 / 59. 18.100', false],
    ['the last release that is too old', '4.4.6-0+deb11u1', '58.134.100 / 58.134.100', true],
    ['a tagged build', 'n7.1', '61. 19.100 / 61. 19.100', false],
    ['a build from git of 2018', 'N-47683-g0e8eb07980-static', '58. 42.100 / 58. 42.100', true],
    ['a build from git of 2023', 'N-66595-gc2b38619c0-static', '60. 22.100 / 60. 22.100', false],
  ])('%s', (_, version, libavcodec, isOutdated) => {
    expect(readVersion(output(version, libavcodec))).toEqual({ version, isOutdated })
  })

  test('unrecognized output is an unknown version, not an outdated one', () => {
    expect(readVersion('hello\n')).toEqual({ version: 'unknown', isOutdated: false })
  })
})

test('the packaged ffmpeg is older than 5.0', async () => {
  const tools = await findTools({ ffmpeg: ffmpeg.path, ffprobe: ffprobe.path })
  expect(tools.outdated).toContain('ffmpeg')
  expect([tools.version, tools.ffprobeVersion]).not.toContain('unknown')
})
