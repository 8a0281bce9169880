import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { formatNumber, t } from '../../strings.ts'
import { DAY_SECONDS } from '../time.ts'
import type { Day } from './days.tsx'
import { nameOfDay, shortNameOfDay } from './period.ts'

const HEIGHT_PX = 240
/** Space for the names of days, and for counts. */
const DAYS_PX = 28
const AXIS_PX = 48
const dark = matchMedia('(prefers-color-scheme: dark)')

/** Play requests and listens by day. Its figures are in the table next to it. */
export default function Chart({ days }: { days: readonly Day[] }) {
  const frame = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    let plot = draw(element, days, setPointed)
    const redraw = () => {
      plot.destroy()
      plot = draw(element, days, setPointed)
    }
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    resized.observe(element)
    dark.addEventListener('change', redraw)
    return () => {
      dark.removeEventListener('change', redraw)
      resized.disconnect()
      plot.destroy()
    }
  }, [days])
  const day = pointed === null ? undefined : days[pointed]
  return (
    <figure className="chart">
      <div ref={frame} role="img" aria-label={t('usage.byDay')} />
      <figcaption>
        <span className="requests">{t('usage.requests')}</span>
        <span className="listens">{t('usage.listens')}</span>
        <span className="pointed">
          {day &&
            t('usage.pointed', {
              day: nameOfDay(day.day),
              requests: formatNumber(day.requests),
              listens: formatNumber(day.listens),
            })}
        </span>
      </figcaption>
    </figure>
  )
}

/** @param onPoint called with the place of the day under the pointer, or null */
function draw(element: HTMLElement, days: readonly Day[], onPoint: (place: number | null) => void): uPlot {
  const color = (name: string) => resolvedColor(element, name)
  const font = `12px ${getComputedStyle(element).fontFamily}`
  const axis = { font, stroke: color('--quiet'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } }
  const paths = uPlot.paths.bars?.({ size: [BAR_SHARE, WIDEST_BAR_PX], radius: [BAR_RADIUS, 0] })
  const bars = (name: string) => ({ fill: color(name), width: 0, points: { show: false }, ...(paths && { paths }) })
  const nameOfTime = (seconds: number) => shortNameOfDay(new Date(seconds * 1000).toISOString().slice(0, 10))
  return new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT_PX,
      legend: { show: false },
      cursor: { y: false, drag: { x: false } },
      scales: {
        x: { time: true, range: (_, first, last) => [first - HALF_DAY, last + HALF_DAY] },
        y: { range: (_, __, max) => [0, Math.max(max * 1.05, 1)] },
      },
      // The listens are a part of the requests, whose bars are behind them.
      series: [{}, bars('--behind'), bars('--accent')],
      axes: [
        {
          ...axis,
          size: DAYS_PX,
          grid: { show: false },
          values: (_, times) => times.map(nameOfTime),
          incrs: dayIncrements,
          space: 72,
        },
        { ...axis, size: AXIS_PX, values: (_, counts) => counts.map(shortNumber) },
      ],
      hooks: { setCursor: [(plot) => onPoint(plot.cursor.idx ?? null)] },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    },
    [
      days.map(({ day }) => Date.parse(day) / 1000),
      days.map(({ requests }) => requests),
      days.map(({ listens }) => listens),
    ],
    element,
  )
}

const HALF_DAY = DAY_SECONDS / 2
/** Parts of the width of a day, and of a bar. */
const BAR_SHARE = 0.8
const BAR_RADIUS = 0.2
const WIDEST_BAR_PX = 48
const dayIncrements = [1, 2, 7, 14, 28, 56, 91].map((days) => days * DAY_SECONDS)

const shortNumber = (count: number) =>
  Number.isInteger(count) ? formatNumber(count, { notation: 'compact', maximumFractionDigits: 1 }) : ''

/** The value of a variable for the current colors. A canvas does not understand `light-dark()`. */
function resolvedColor(parent: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  parent.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
