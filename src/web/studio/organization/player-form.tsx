import { useState } from 'react'
import { t } from '../../strings.ts'
import { readText } from '../form-values.ts'
import type { SettingsFragment } from '../generated/operations.ts'
import { ColorInput } from '../ui/color.tsx'
import { EditForm } from '../ui/dialog.tsx'
import { TextInput } from '../ui/field.tsx'
import { Section } from '../ui/section.tsx'
import { PlayerPreview } from './player-preview.tsx'
import { useSave } from './use-save.ts'

/** Color and subtitle of players, with a preview that follows the form. */
export function PlayerForm({ of: organization }: { of: SettingsFragment }) {
  const { id, playerColor, playerColorLight, playerColorDark, playerSubtitle } = organization
  const { save, ...state } = useSave(id)
  const [color, setColor] = useState(playerColor)
  const [subtitle, setSubtitle] = useState(playerSubtitle)
  const isSaved = color.toLowerCase() === playerColor
  return (
    <Section title={t('organization.player')} lead={t('organization.playerLead')}>
      <div className="player-form">
        <EditForm
          onSubmit={(fields) =>
            save({ playerColor: readText(fields, 'playerColor'), playerSubtitle: readText(fields, 'playerSubtitle') })
          }
          {...state}
        >
          <ColorInput
            label={t('organization.playerColor')}
            name="playerColor"
            hint={t('organization.playerColorHint')}
            defaultValue={playerColor}
            onChange={setColor}
          />
          <TextInput
            label={t('organization.playerSubtitle')}
            name="playerSubtitle"
            hint={t('organization.playerSubtitleHint')}
            defaultValue={playerSubtitle}
            onChange={setSubtitle}
          />
        </EditForm>
        <div className="previews">
          <PlayerPreview theme="light" color={(isSaved && playerColorLight) || color} subtitle={subtitle} />
          <PlayerPreview theme="dark" color={(isSaved && playerColorDark) || color} subtitle={subtitle} />
        </div>
      </div>
    </Section>
  )
}
