import { t } from '../../strings.ts'
import { Choice } from '../ui/field.tsx'

/** Chooses between keys that work and those that were revoked. */
export const RevokedChoice = ({ onChange }: { onChange: (isRevoked: boolean) => void }) => (
  <Choice
    label={t('access.state')}
    name="state"
    defaultValue="valid"
    choices={[
      { id: 'valid', text: t('access.notRevoked') },
      { id: 'revoked', text: t('access.revoked') },
    ]}
    onChange={(state) => onChange(state === 'revoked')}
  />
)
