// Preloaded into a process: its clock is SKEW_MS milliseconds ahead.
const aheadMs = Number(process.env.SKEW_MS)
const RealDate = Date

class SkewedDate extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(RealDate.now() + aheadMs)
    else super(...(args as [number]))
  }

  static override now(): number {
    return RealDate.now() + aheadMs
  }
}

globalThis.Date = SkewedDate as DateConstructor
