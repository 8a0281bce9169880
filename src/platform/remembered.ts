/**
 * Keeps the results of a function of a text, because computing them takes longer than finding them. All are forgotten
 * when there are too many: clients choose the texts.
 * @param max maximum number of results
 */
export function remembered<V>(max: number, compute: (text: string) => V): (text: string) => V {
  const valueByText = new Map<string, V>()
  return (text) => {
    const rememberedValue = valueByText.get(text)
    if (rememberedValue !== undefined) return rememberedValue
    if (valueByText.size >= max) valueByText.clear()
    const value = compute(text)
    valueByText.set(text, value)
    return value
  }
}
