import { t } from '../../strings.ts'
import type { SettingsFragment } from '../generated/operations.ts'
import { Section } from '../ui/section.tsx'
import { Cover } from './cover-section.tsx'
import { PlayerPreview } from './player-preview.tsx'

/** The settings, for viewers. */
export function Facts({ of: organization }: { of: SettingsFragment }) {
  const { name, domain, playerColor, playerColorLight, playerColorDark, playerSubtitle } = organization
  const { isCoverOverridable, isThemeOverridable, isIndexable, transcribesUploads, transcriptionQuota } = organization
  const facts = [
    [t('organization.name'), name],
    [t('organization.host'), domain],
    [t('organization.playerColor'), playerColor],
    [t('organization.isCoverOverridable'), t(isCoverOverridable ? 'studio.yes' : 'studio.no')],
    [t('organization.isThemeOverridable'), t(isThemeOverridable ? 'studio.yes' : 'studio.no')],
    [t('organization.isIndexable'), t(isIndexable ? 'studio.yes' : 'studio.no')],
    ...(transcriptionQuota
      ? [[t('organization.transcribesUploads'), t(transcribesUploads ? 'studio.yes' : 'studio.no')]]
      : []),
  ]
  return (
    <Section title={t('organization.general')}>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Cover of={organization} />
      <div className="previews">
        <PlayerPreview theme="light" color={playerColorLight ?? playerColor} subtitle={playerSubtitle} />
        <PlayerPreview theme="dark" color={playerColorDark ?? playerColor} subtitle={playerSubtitle} />
      </div>
    </Section>
  )
}
