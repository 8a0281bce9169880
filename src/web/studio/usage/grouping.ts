/** Records that usage can be split by, in the order of the tabs. */
export const groupings = ['track', 'collection', 'creator', 'variant', 'key'] as const
export type Grouping = (typeof groupings)[number]
