import { expect, test } from 'bun:test'
import { findListenerApp } from '../../../src/domain/playback/listener-app.ts'

const SAFARI = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const CHROMIUM = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  ['Podcasts/1930.1 CFNetwork/1496.0.7 Darwin/23.5.0', 'Apple Podcasts', null],
  ['AppleCoreMedia/1.0.0.21F90 (iPhone; U; CPU OS 17_5_1 like Mac OS X; en_us)', 'Apple media player', 'phone'],
  ['AppleCoreMedia/1.0.0.21M71 (HomePod; U; CPU OS 17_5 like Mac OS X; de_de)', 'Apple media player', 'speaker'],
  ['AppleCoreMedia/1.0.0.21L580 (Apple TV; U; CPU OS 17_5 like Mac OS X; en_us)', 'Apple media player', 'tv'],
  ['atc/1.0 watchOS/10.5 model/Watch6,2 hwp/t8301 build/21T575 (6; dt:247)', null, 'watch'],
  ['Overcast/3.0 (+http://overcast.fm/; iOS podcast app)', 'Overcast', 'phone'],
  ['Pocket Casts', 'Pocket Casts', null],
  ['PocketCasts/1.0 (Pocket Casts Feed Parser; +http://pocketcasts.com/)', 'Pocket Casts', null],
  ['AntennaPod/3.4.1', 'AntennaPod', null],
  ['Spotify/8.9.48 Android/34 (Pixel 7)', 'Spotify', 'phone'],
  ['Spotify/124500408 Win32_x86_64/0 (PC desktop)', 'Spotify', null],
  ['PodcastAddict/v5 (+https://podcastaddict.com/; Android podcast app)', 'Podcast Addict', 'phone'],
  ['Castbox/8.30 (fm.castbox.audiobook.radio.podcast; build:1) Alamofire/5', 'Castbox', null],
  ['AlexaMediaPlayer/2.1.4676.0 (Linux;Android 5.1.1) ExoPlayerLib/1.5.9', 'Alexa', 'speaker'],
  ['Linux UPnP/1.0 Sonos/80.1-55014 (ZPS22)', 'Sonos', 'speaker'],
  ['Roku/DVP-14.5 (14.5.4.5934-46)', 'Roku', 'tv'],
  ['VLC/3.0.20 LibVLC/3.0.20', 'VLC', null],
  ['mpv 0.35.1', 'mpv', null],
  ['Lavf/59.27.100', 'FFmpeg', null],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROMIUM} Chrome/131.0.0.0 Safari/537.36`, 'Chrome', 'computer'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROMIUM} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`,
    'Edge',
    'computer',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Firefox', 'computer'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Version/18.1 Safari/605.1.15`, 'Safari', 'computer'],
  [
    `Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) ${SAFARI} Version/17.5 Mobile/15E148 Safari/604.1`,
    'Safari',
    'tablet',
  ],
  [`Mozilla/5.0 (Linux; Android 14; SM-X710) ${CHROMIUM} Chrome/131.0.0.0 Safari/537.36`, 'Chrome', 'tablet'],
  [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${CHROMIUM} Chrome/131.0.0.0 Mobile Safari/537.36`, 'Chrome', 'phone'],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${SAFARI} Mobile/15E148 [FBAN/FBIOS;FBAV/465.0]`,
    'Facebook',
    'phone',
  ],
  ['curl/8.11.0', 'curl', null],
  ['something of its own', null, null],
  ['', null, null],
] as const)('%s', (userAgent, app, device) => {
  expect(findListenerApp(userAgent)).toEqual({ app, device })
})

test('of a long user agent the start counts', () => {
  expect(findListenerApp(`Overcast/3.0 ${'x'.repeat(1000)} iPhone`)).toEqual({ app: 'Overcast', device: null })
})
