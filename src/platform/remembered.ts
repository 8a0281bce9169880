/**
 * Keeps the results of a function of a text, because computing them takes longer than finding them. All are forgotten
 * when there are too many: clients choose the texts.
 * @param max maximum number of results
 */
export function remembered<V>(max: number, compute: (text: string) => V): (text: string) => V {
  const known = new Map<string, V>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= max) known.clear()
    const value = compute(text)
    known.set(text, value)
    return value
  }
}
