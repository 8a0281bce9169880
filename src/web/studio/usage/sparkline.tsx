const HEIGHT = 24

/** A line of values by day, without axes. Its figures are in the text next to it. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  const points = values.map((value, place) => `${place} ${Math.round((1 - value / most) * HEIGHT * 100) / 100}`)
  const end = values.length - 1
  return (
    <svg className="sparkline" viewBox={`0 0 ${end} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path className="under" d={`M0 ${HEIGHT}L${points.join('L')}L${end} ${HEIGHT}z`} />
      <path className="line" d={`M${points.join('L')}`} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
