/** The subject of a share link. */
export interface Subject {
  kind: 'track' | 'collection'
  id: string
  title: string
}

/** Size of the frame in other sites, in pixels; the same as that of oEmbed. */
const WIDTH = 480
const HEIGHT = { track: 152, collection: 420 }

const escapes: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' }
const escaped = (text: string) => text.replace(/[&"<>]/g, (character) => escapes[character] ?? character)

/**
 * Returns the addresses that a share key opens, and the code for other sites.
 * @param origin of the service
 */
export function formatAddresses({ kind, id, title }: Subject, apiKey: string, origin: string) {
  const path = `${kind === 'track' ? '' : 'collection/'}${id}/${apiKey}`
  const link = `${origin}/s/${path}`
  const frame = `src="${escaped(`${origin}/embed/${path}`)}" width="${WIDTH}" height="${HEIGHT[kind]}"`
  return {
    link,
    embed: `<iframe ${frame} title="${escaped(title)}" frameborder="0" allow="autoplay; clipboard-write"></iframe>`,
    /** The podcast feed. Null for a track. */
    feed: kind === 'collection' ? `${link}/feed.xml` : null,
  }
}
