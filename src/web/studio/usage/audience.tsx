import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { formatNumber, language, t, textOfCode } from '../../strings.ts'
import { useData } from '../api.ts'
import { AudienceDocument, type AudienceKind, type AudienceQuery } from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { CsvButton } from './csv-button.tsx'
import { setShare } from './group-table.tsx'
import { type Period, toRange } from './period.ts'

const kinds = { APP: 'apps', DEVICE: 'devices', COUNTRY: 'countries', SITE: 'sites' } as const satisfies Record<
  AudienceKind,
  string
>

/** Apps, devices, countries and sites of the listeners. */
export function Audience({ period }: { period: Period }) {
  return (
    <>
      <h2>{t('usage.audience')}</h2>
      <Tabs>
        <TabList aria-label={t('usage.audience')} className="tab-list">
          {Object.entries(kinds).map(([kind, name]) => (
            <Tab key={kind} id={kind}>
              {t(`usage.${name}`)}
            </Tab>
          ))}
        </TabList>
        {Object.keys(kinds).map((kind) => (
          <TabPanel key={kind} id={kind}>
            <Listeners kind={kind as AudienceKind} period={period} />
          </TabPanel>
        ))}
      </Tabs>
    </>
  )
}

function Listeners({ kind, period }: { kind: AudienceKind; period: Period }) {
  return (
    <Answered of={useData(AudienceDocument, { ...toRange(period), by: kind })}>
      {(data) =>
        data.audience.length > 0 ? <Rows kind={kind} period={period} {...data} /> : <p>{t('usage.nothing')}</p>
      }
    </Answered>
  )
}

const countries = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' })

function formatValue(kind: AudienceKind, value: string | null): string {
  if (value === null) return t('usage.unknown')
  if (kind === 'COUNTRY') return countries.of(value) ?? value
  return kind === 'DEVICE' ? textOfCode('device', value, value) : value
}

/** Most rows of a file, the limit of `top`. */
const MAX_ROWS = 100

const percent = { style: 'percent', maximumFractionDigits: 1 } as const

function Rows({ kind, period, audience, usage: [total] }: { kind: AudienceKind; period: Period } & AudienceQuery) {
  const most = Math.max(...audience.map(({ listens }) => listens))
  const isUnknown = kind !== 'SITE' && audience.every(({ value }) => value === null)
  return (
    <>
      <div className="table">
        <table>
          <thead>
            <tr>
              <th scope="col">{t(`usage.${kinds[kind]}`)}</th>
              <th scope="col" className="figure">
                {t('usage.listens')}
              </th>
              <th scope="col" className="figure">
                {t('usage.share')}
              </th>
            </tr>
          </thead>
          <tbody>
            {audience.map(({ value, listens }) => (
              <tr key={value}>
                <th scope="row" className="bar" style={setShare(listens / most)}>
                  {formatValue(kind, value)}
                </th>
                <td className="figure">{formatNumber(listens)}</td>
                <td className="figure">{formatNumber(listens / Math.max(listens, total?.listens ?? 0), percent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isUnknown && <p>{t('usage.audienceOff')}</p>}
      <div className="actions">
        <CsvButton
          path="/v1/usage/audience"
          query={{ by: kind.toLowerCase(), top: String(MAX_ROWS), format: 'csv' }}
          period={period}
          name={`audience-${kind.toLowerCase()}`}
        />
      </div>
    </>
  )
}
