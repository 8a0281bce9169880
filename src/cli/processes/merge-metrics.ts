/**
 * Merges metrics of several processes, whose samples differ in a label. A metric has one head, as the text format requires.
 * @param texts in the text format of Prometheus; empty ones are left out
 */
export function mergeMetrics(texts: string[]): string {
  const samples = new Map<string, string[]>()
  for (const block of texts.flatMap((text) => text.split(/^(?=# HELP )/m))) {
    const [help = '', type = '', ...lines] = block.split('\n').filter((line) => line !== '')
    if (help === '') continue
    const head = `${help}\n${type}`
    samples.set(head, [...(samples.get(head) ?? []), ...lines])
  }
  return `${[...samples].map(([head, lines]) => [head, ...lines].join('\n')).join('\n\n')}\n`
}
