// Other browsers name those that they resemble, too: the first that matches counts.
const browsers: [name: string, pattern: RegExp][] = [
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
]
const systems: [name: string, pattern: RegExp][] = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux|X11/],
]

/** A browser and its system by `User-Agent`, such as "Firefox, Linux". The start of the header for another program. */
export function describeBrowser(userAgent: string | null | undefined): string | null {
  if (!userAgent) return null
  const names = [browsers, systems].flatMap((list) => list.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? [])
  return names.length > 0 ? names.join(', ') : (userAgent.split(/[\s/(]/)[0] ?? null)
}
