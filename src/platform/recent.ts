/**
 * A map that forgets the values that were not read for longest, when there are too many. The values are in two halves:
 * when the recent half is full it becomes the older one, whose values are dropped unless they were read since.
 */
export class Recent<V> {
  readonly #half: number
  #recent = new Map<string, V>()
  #older = new Map<string, V>()

  /** @param max maximum number of values, at least 2 */
  constructor(max: number) {
    this.#half = Math.floor(max / 2)
  }

  get(name: string): V | undefined {
    const recentValue = this.#recent.get(name)
    if (recentValue !== undefined) return recentValue
    const older = this.#older.get(name)
    if (older !== undefined) this.set(name, older)
    return older
  }

  set(name: string, value: V): void {
    if (this.#recent.size >= this.#half && !this.#recent.has(name)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(name, value)
  }

  /** Deletes the values that the condition matches. Takes time for each value. */
  deleteWhere(isMatch: (value: V) => boolean): void {
    for (const half of [this.#recent, this.#older]) {
      for (const [name, value] of half) if (isMatch(value)) half.delete(name)
    }
  }

  clear(): void {
    this.#recent = new Map()
    this.#older = new Map()
  }
}
