import {
  CEILING_DBTP,
  type Leveling,
  LIMITED_STEP,
  LOUDNESS_TOLERANCE,
  type Loudness,
  MAX_LIMITING_DB,
  maxLimitedGain,
  PEAK_TOLERANCE,
} from './gain.ts'

/** Maximum number of encodes of a file. Each follows from measurements of the earlier ones. One or two are usual. */
const MAX_ATTEMPTS = 4
/** Room below the ceiling that is worth another encode of a file that is too soft, in dB. */
const USABLE_ROOM_DB = 0.3
/** Part of that room that is left, because no two encodes have the same peaks. */
const SPARED_ROOM_DB = 0.1
/** Room below the ceiling after one to three encodes that exceeded it. The last one has to keep it. */
const marginsDb = [PEAK_TOLERANCE, 0.3, 1]
/** Levels that differ by less give the same sound. */
const LEAST_STEP_DB = 0.03
/** Differences that a note reports: of loudness in LU, to which meters agree within 0.05, and of peaks in dB. */
const [REPORTED_LU, REPORTED_DB] = [0.15, 0.1]
/** A smaller rise of the peaks is not worth a mention. */
const REPORTED_RISE_DB = 0.3

/** One encode of a file. */
export interface EncodeAttempt {
  leveling: Leveling
  /** Of the encoded file, as a player decodes it. */
  loudness: Loudness
}

const computeExcess = ({ loudness }: EncodeAttempt) => loudness.truePeakDbtp - CEILING_DBTP
const computeMissing = ({ leveling, loudness }: EncodeAttempt) => leveling.target.lufs - loudness.integratedLufs
const isBelowCeiling = (attempt: EncodeAttempt) => computeExcess(attempt) <= PEAK_TOLERANCE
/** How much the encoder has raised the peaks, in dB. */
const computeRise = ({ leveling, loudness }: EncodeAttempt) => loudness.truePeakDbtp - leveling.plannedPeakDbtp

/** Whether an attempt is better: it keeps the ceiling, then it is closer to the target. */
export function isBetter(attempt: EncodeAttempt, best: EncodeAttempt): boolean {
  const [keeps, bestKeeps] = [isBelowCeiling(attempt), isBelowCeiling(best)]
  if (keeps !== bestKeeps) return keeps
  return keeps
    ? Math.abs(computeMissing(attempt)) < Math.abs(computeMissing(best))
    : computeExcess(attempt) < computeExcess(best)
}

/**
 * Returns a level that comes closer to the target, or keeps the ceiling. The peaks of a sound differ by up to 2 dB between
 * two encodes, so that the next level is between those that kept and those that exceeded the ceiling.
 * @param attempts all encodes of the file, at least one
 * @returns null when no other level is worth an encode
 */
export function nextLeveling(attempts: readonly EncodeAttempt[]): Leveling | null {
  if (attempts.length >= MAX_ATTEMPTS) return null
  const best = findBest(attempts)
  const missing = computeMissing(best)
  if (!isBelowCeiling(best)) return withSteps(best, loweredPeak(attempts) - best.leveling.plannedPeakDbtp, missing)
  if (Math.abs(missing) <= LOUDNESS_TOLERANCE) return null
  // A sound that is too loud has no need of room below the ceiling.
  return withSteps(best, missing < 0 ? Number.POSITIVE_INFINITY : raisedPeak(attempts, best), missing)
}

const findBest = (attempts: readonly EncodeAttempt[]) =>
  attempts.reduce((best, attempt) => (isBetter(attempt, best) ? attempt : best))

/** The peak to plan when all encodes have exceeded the ceiling. */
const loweredPeak = (attempts: readonly EncodeAttempt[]) =>
  Math.min(...attempts.map((attempt) => attempt.leveling.plannedPeakDbtp - computeExcess(attempt))) -
  (marginsDb[attempts.length - 1] ?? 0)

/** How much the peak of an encode that keeps the ceiling may be raised, in dB. 0 when nothing is gained. */
function raisedPeak(attempts: readonly EncodeAttempt[], best: EncodeAttempt): number {
  const roomDb = -computeExcess(best)
  if (roomDb <= USABLE_ROOM_DB) return 0
  const planned = best.leveling.plannedPeakDbtp
  const exceedingSteps = attempts
    .filter((attempt) => !isBelowCeiling(attempt))
    .map(({ leveling }) => (leveling.plannedPeakDbtp - planned) / 2)
  return Math.min(roomDb - SPARED_ROOM_DB, ...exceedingSteps.filter((step) => step > 0))
}

/**
 * Changes a level: with a limiter, if it may have one and the gain alone would exceed the room.
 * @param peakStep of the planned peak, in dB; at most this without a limiter
 * @param missing loudness in LU
 */
function withSteps({ leveling }: EncodeAttempt, peakStep: number, missing: number): Leveling | null {
  const { level, source, plannedPeakDbtp, canLimit } = leveling
  const { gainDb, limitDbtp } = level
  if (!canLimit || (limitDbtp === null && missing <= peakStep)) {
    const step = Math.min(missing, peakStep)
    if (Math.abs(step) < LEAST_STEP_DB) return null
    return { ...leveling, level: { ...level, gainDb: gainDb + step }, plannedPeakDbtp: plannedPeakDbtp + step }
  }
  const limitStep = Number.isFinite(peakStep) ? peakStep : 0
  // A limiter that is lowered by the same step as the gain changes the loudness by that step.
  const gainStep = limitDbtp === null ? missing : limitStep + (missing - limitStep) * LIMITED_STEP
  const nextGainDb = Math.min(gainDb + gainStep, maxLimitedGain(source))
  if (Math.abs(limitStep) < LEAST_STEP_DB && Math.abs(nextGainDb - gainDb) < LEAST_STEP_DB) return null
  return {
    ...leveling,
    level: { gainDb: nextGainDb, limitDbtp: (limitDbtp ?? plannedPeakDbtp) + limitStep },
    plannedPeakDbtp: plannedPeakDbtp + limitStep,
  }
}

/**
 * Describes the difference of a file to its target, with the measured cause. Null when it is as loud as requested and below
 * the ceiling.
 * @param attempt the delivered one
 */
export function describeMiss(attempt: EncodeAttempt): string | null {
  const { leveling, loudness } = attempt
  const { target, level, source, canLimit } = leveling
  const riseDb = computeRise(attempt)
  const isRaised = riseDb > REPORTED_RISE_DB
  const miss = Math.abs(computeMissing(attempt)) > REPORTED_LU
  if (computeExcess(attempt) > REPORTED_DB) {
    const cause = isRaised ? `: the encoder raises them by ${riseDb.toFixed(1)} dB` : ''
    const reached = `Its peaks reach ${loudness.truePeakDbtp.toFixed(1)} dBTP instead of ${CEILING_DBTP}${cause}.`
    return miss ? `${normalizedTo(attempt)}. ${reached}` : reached
  }
  if (!miss) return null
  const isAtBound = level.limitDbtp !== null && level.gainDb >= maxLimitedGain(source) - LEAST_STEP_DB
  if (isAtBound) {
    return `${normalizedTo(attempt)}: more would distort it, its limiter is at its bound of ${MAX_LIMITING_DB} dB.`
  }
  if (-computeExcess(attempt) > USABLE_ROOM_DB && !isRaised) return `${normalizedTo(attempt)}: no encode came closer.`
  if (isRaised) {
    return `${normalizedTo(attempt)}: more would make its peaks clip, which the encoder raises by ${riseDb.toFixed(1)} dB.`
  }
  if (target.mode === 'dynamic' && !canLimit) {
    return `${normalizedTo(attempt)}: more would distort it, and a limiter would make it softer.`
  }
  return `${normalizedTo(attempt)}: more would make its peaks clip.`
}

const normalizedTo = ({ leveling: { target }, loudness }: EncodeAttempt) =>
  `Normalized to ${loudness.integratedLufs.toFixed(1)} LUFS instead of ${target.lufs}`
