/** Kinds of devices, as stored in the ledger. */
export const devices = ['phone', 'tablet', 'computer', 'tv', 'speaker', 'car', 'watch'] as const
export type Device = (typeof devices)[number]

/** App and device of a listener. Null: unknown. */
export interface ListenerApp {
  /** Name as its makers write it: a player, a browser, or a library of programs. */
  app: string | null
  device: Device | null
}

/**
 * Apps, by the start of the user agent or by a word in it. Of several the first counts, so an app precedes the browser or
 * the library inside it. The names are those of the apps' own pages; what they send was read from their requests.
 */
const apps: readonly [app: string, pattern: RegExp][] = [
  ['Apple Podcasts', /^(?:podcasts|balados|podcasti|podcasty|podcastit)\/|^apple ?podcasts\b/i],
  ['Apple Music', /^(?:music|itunes)\//i],
  ['Spotify', /^spotify\//i],
  ['Overcast', /^overcast\b/i],
  ['Pocket Casts', /^pocket ?casts\b/i],
  ['AntennaPod', /^antennapod\b/i],
  ['Castro', /^castro\b/i],
  ['Castbox', /^castbox\b/i],
  ['Castamatic', /^castamatic\b/i],
  ['Podcast Addict', /^podcast ?addict\b/i],
  ['Podcast Guru', /^podcast ?guru\b/i],
  ['Podcast Republic', /^podcast ?republic\b/i],
  ['Podbean', /^podbean\b/i],
  ['Player FM', /^player ?fm\b/i],
  ['Podkicker', /^podkicker\b/i],
  ['Podverse', /^podverse\b/i],
  ['Podimo', /^podimo\b/i],
  ['Fountain', /^fountain\b/i],
  ['TrueFans', /^truefans\b/i],
  ['Goodpods', /^goodpods\b/i],
  ['Snipd', /^snipd\b/i],
  ['Downcast', /^downcast\b/i],
  ['iCatcher!', /^icatcher\b/i],
  ['RSSRadio', /^rssradio\b/i],
  ['BeyondPod', /^beyondpod\b/i],
  ['DoggCatcher', /^doggcatcher\b/i],
  ['gPodder', /^gpodder\b/i],
  ['Kasts', /^kasts\b/i],
  ['Miro', /^miro\//i],
  ['iHeart', /^iheart/i],
  ['TuneIn', /^tunein/i],
  ['Deezer', /^deezer\b/i],
  ['TIDAL', /^tidal\b/i],
  ['Amazon Music', /^amazon ?music\b|\bamazonmusic\b/i],
  ['Audible', /^audible\b/i],
  ['Alexa', /\balexa(?:mediaplayer)?\b|^echo\//i],
  ['Google Podcasts', /^google-?podcast/i],
  ['YouTube Music', /youtube ?music|^com\.google\.android\.apps\.youtube\.music/i],
  ['Google Assistant', /\bcrkey\b|^google-?home\b/i],
  ['Sonos', /^(?:linux upnp\/[\d.]+ )?sonos\b/i],
  ['Roku', /^roku\b/i],
  ['Plex', /^plex/i],
  ['Kodi', /^kodi\b/i],
  ['VLC', /^vlc\b|\blibvlc\b/i],
  ['mpv', /^(?:lib)?mpv\b/i],
  ['foobar2000', /^foobar2000\b/i],
  ['Winamp', /^winamp\b/i],
  ['Rhythmbox', /^rhythmbox\b/i],
  ['Windows Media Player', /^(?:nsplayer|windows-media-player)\b/i],
  ['Facebook', /\bfb(?:an|av)\//i],
  ['Instagram', /\binstagram\b/i],
  ['WhatsApp', /^whatsapp\b/i],
  ['Edge', /\bedg(?:e|a|ios)?\//i],
  ['Opera', /\b(?:opr|opera|opios)\//i],
  ['Samsung Internet', /\bsamsungbrowser\//i],
  ['Firefox', /\b(?:firefox|fxios)\//i],
  ['Chrome', /\b(?:chrome|chromium|crios)\//i],
  ['Safari', /\bversion\/[\d.]+.*\bsafari\//i],
  // Libraries of the systems, which many apps play with and do not name themselves.
  ['Apple media player', /^applecoremedia\b|\bcfnetwork\b/i],
  ['Android media player', /^stagefright\b|\bexoplayer(?:lib)?\b|\bmedia3\b/i],
  ['GStreamer', /^gstreamer\b/i],
  ['FFmpeg', /^lavf\b/i],
  ['curl', /^curl\b/i],
]

const devicePatterns: readonly [device: Device, pattern: RegExp][] = [
  ['watch', /\bwatch\b|watchos|wear ?os/i],
  [
    'tv',
    /\b(?:apple ?tv|tvos|smart-?tv|googletv|android ?tv|bravia|roku|aft[a-z]\b|hbbtv|tizen|web0s|webos|kodi|plex)/i,
  ],
  ['speaker', /\b(?:sonos|alexa|alexamediaplayer|echo|homepod|google-?home|crkey)\b/i],
  ['car', /\b(?:carplay|android ?auto|tesla)\b/i],
  ['tablet', /\bipad\b|\btablet\b|\bkindle\b|\bsilk\b|android(?!.*\bmobile\b).*applewebkit/i],
  ['phone', /\biphone\b|\bipod\b|\bandroid\b|\bmobile\b|windows phone|\bios\b/i],
  ['computer', /\bwindows\b|\bmacintosh\b|\bmac ?os\b|\bx11\b|\blinux\b|\bcros\b/i],
]

/** Longer user agents are read to here: what names an app is at the start. */
const MAX_LENGTH = 512

/** Returns the app and the kind of device that a user agent names (RFC 9110, section 10.1.5). */
export function findListenerApp(userAgent: string): ListenerApp {
  const text = userAgent.slice(0, MAX_LENGTH)
  return { app: findFirst(apps, text), device: findFirst(devicePatterns, text) }
}

const findFirst = <T extends string>(candidates: readonly [T, RegExp][], text: string): T | null =>
  candidates.find(([, pattern]) => pattern.test(text))?.[0] ?? null
