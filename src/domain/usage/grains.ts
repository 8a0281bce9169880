/** A column that sums can be kept apart by. */
export type GrainColumn = 'creator_id' | 'collection_id' | 'track_id'

/** A table with the sums of each day, for each combination of its columns. */
export interface Grain {
  table: string
  /** In the order of its unique index, after the organization and the day. */
  columns: readonly GrainColumn[]
}

/** The finest grain: each row of the ledger is in one of its rows. */
export const trackGrain: Grain = { table: 'play_day_track', columns: ['track_id', 'collection_id', 'creator_id'] }

/** All grains, the coarsest first. */
export const grains: readonly Grain[] = [
  { table: 'play_day', columns: [] },
  { table: 'play_day_creator', columns: ['creator_id'] },
  { table: 'play_day_collection', columns: ['collection_id', 'creator_id'] },
  trackGrain,
]

/** The coarsest grain that keeps columns apart. Other columns are in the parts of every grain. */
export function chooseGrain(columns: readonly string[]): Grain {
  const needed = trackGrain.columns.filter((column) => columns.includes(column))
  return grains.find((grain) => needed.every((column) => grain.columns.includes(column))) ?? trackGrain
}
