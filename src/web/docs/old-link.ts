/** Links to operations were `/docs#/Tag/operationId`. */
export function followOldLink(): void {
  const [, tag, operation] = /^#\/([A-Z][a-z]+)(?:\/(\w+))?$/.exec(location.hash) ?? []
  if (tag) location.replace(`/docs/reference/${tag.toLowerCase()}${operation ? `#${operation}` : ''}`)
}
