import { t } from '../../strings.ts'
import type { SettingsFragment } from '../generated/operations.ts'
import { EditForm } from '../ui/dialog.tsx'
import { Check } from '../ui/field.tsx'
import { Section } from '../ui/section.tsx'
import { CoverUpload } from '../upload/cover-upload.tsx'
import { useSave } from './use-save.ts'

/** The cover and its colors, and whether collections and tracks may differ. */
export function CoverSection({ of: organization }: { of: SettingsFragment }) {
  const { id, isCoverOverridable, isThemeOverridable } = organization
  const { save, ...state } = useSave(id)
  return (
    <Section title={t('organization.cover')} lead={t('organization.coverLead')}>
      <Cover of={organization} />
      <CoverUpload owner="organization" id={id} />
      <EditForm
        onSubmit={(fields) =>
          save({
            isCoverOverridable: fields.has('isCoverOverridable'),
            isThemeOverridable: fields.has('isThemeOverridable'),
          })
        }
        {...state}
      >
        <Check name="isCoverOverridable" defaultSelected={isCoverOverridable}>
          {t('organization.isCoverOverridable')}
        </Check>
        <Check name="isThemeOverridable" defaultSelected={isThemeOverridable}>
          {t('organization.isThemeOverridable')}
        </Check>
      </EditForm>
    </Section>
  )
}

/** The cover, and the colors of its theme by their area. */
export const Cover = ({ of: { coverImage, theme } }: { of: SettingsFragment }) => (
  <div className="organization-cover">
    {coverImage ? (
      <img src={coverImage.regular.url} alt={t('organization.cover')} />
    ) : (
      <p className="quiet">{t('organization.noCover')}</p>
    )}
    {theme.length > 0 && (
      <svg
        className="stripes"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={t('organization.theme')}
      >
        {layOutStripes(theme).map(({ hex, x, width }) => (
          <rect key={x} x={x} width={width} height="10" fill={hex} />
        ))}
      </svg>
    )}
  </div>
)

/** Widths by area, which together need not be 1. */
function layOutStripes(theme: SettingsFragment['theme']) {
  const whole = theme.reduce((sum, { area }) => sum + area, 0) || 1
  let x = 0
  return theme.map(({ hex, area }) => {
    const width = (100 * area) / whole
    x += width
    return { hex, x: x - width, width }
  })
}
