import { type Oklab, squaredDistance } from './color.ts'
import type { Bin } from './histogram.ts'

/** A group of pixels that look alike. */
export interface Group {
  /** Share of the picture, 0 to 1. */
  share: number
  /** Index of the bin with the most pixels. */
  densest: number
}

const MAX_GROUPS = 8
/** Maximum distance of colors that look alike side by side. */
const ALIKE = 0.09
/** Maximum share of colors without a group: edges between areas, noise. */
const UNCOVERED_SHARE = 0.02
/** Smaller groups are merged into the most similar one. */
const MIN_SHARE = 0.005
const MAX_ROUNDS = 12

/** Clusters bins into at most eight groups, largest first. Weighted k-means, seeded with the most different colors. */
export function gather(bins: readonly Bin[]): Group[] {
  let centers = chooseSeeds(bins)
  let nearest = assign(bins, centers)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    centers = computeMeans(bins, nearest, centers)
    const moved = assign(bins, centers)
    const isSettled = moved.every((center, i) => center === nearest[i])
    nearest = moved
    if (isSettled) break
  }
  return merge(bins, nearest, centers)
}

/**
 * Starts with the most common color, then repeatedly adds the color that is both common and far from the chosen ones.
 */
function chooseSeeds(bins: readonly Bin[]): Oklab[] {
  const seeds: Oklab[] = []
  const distances = bins.map(() => 1)
  while (seeds.length < MAX_GROUPS) {
    let [next, most, uncovered]: [Bin | undefined, number, number] = [undefined, 0, 0]
    for (const [i, bin] of bins.entries()) {
      const distance = distances[i] as number
      if (distance < ALIKE ** 2) continue
      uncovered += bin.share
      if (bin.share * distance > most) [next, most] = [bin, bin.share * distance]
    }
    if (!next || (seeds.length > 0 && uncovered < UNCOVERED_SHARE)) break
    const { color } = next
    seeds.push(color)
    for (const [i, bin] of bins.entries()) {
      distances[i] = Math.min(distances[i] as number, squaredDistance(bin.color, color))
    }
  }
  return seeds
}

/** Index of the nearest center, for each bin. */
const assign = (bins: readonly Bin[], centers: readonly Oklab[]) => bins.map(({ color }) => nearestTo(color, centers))

function nearestTo(color: Oklab, centers: readonly Oklab[]): number {
  let [nearest, least] = [0, Number.POSITIVE_INFINITY]
  for (const [i, center] of centers.entries()) {
    const distance = squaredDistance(color, center)
    if (distance < least) [nearest, least] = [i, distance]
  }
  return nearest
}

function computeMeans(bins: readonly Bin[], nearest: readonly number[], before: readonly Oklab[]): Oklab[] {
  const sums = before.map(() => [0, 0, 0, 0] as [number, number, number, number])
  for (const [i, { color, share }] of bins.entries()) {
    const sum = sums[nearest[i] as number] as [number, number, number, number]
    for (const axis of [0, 1, 2] as const) sum[axis] += color[axis] * share
    sum[3] += share
  }
  return sums.map(([l, a, b, share], i) => (share === 0 ? (before[i] as Oklab) : [l / share, a / share, b / share]))
}

interface Cluster extends Group {
  center: Oklab
  /** Share of the densest bin. */
  peak: number
}

function merge(bins: readonly Bin[], nearest: readonly number[], centers: readonly Oklab[]): Group[] {
  const clusters = centers.map((center): Cluster => ({ center, share: 0, densest: 0, peak: 0 }))
  for (const [i, { index, share }] of bins.entries()) {
    const cluster = clusters[nearest[i] as number] as Cluster
    cluster.share += share
    if (share > cluster.peak) [cluster.peak, cluster.densest] = [share, index]
  }
  const groups: Cluster[] = []
  for (const cluster of clusters.filter(({ share }) => share > 0).sort((a, b) => b.share - a.share)) {
    const centersSoFar = groups.map(({ center }) => center)
    const like = groups[nearestTo(cluster.center, centersSoFar)]
    const isAlike = like && squaredDistance(like.center, cluster.center) < ALIKE ** 2
    if (!like || (!isAlike && cluster.share >= MIN_SHARE)) groups.push(cluster)
    else {
      like.share += cluster.share
      if (cluster.peak > like.peak) [like.peak, like.densest] = [cluster.peak, cluster.densest]
    }
  }
  return groups.sort((a, b) => b.share - a.share)
}
