/** Rounds to a number of decimals. Never -0. */
export const roundTo = (value: number, decimals: number): number =>
  Math.round(value * 10 ** decimals) / 10 ** decimals + 0
