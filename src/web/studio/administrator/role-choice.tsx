import { t } from '../../strings.ts'
import type { AdministratorRole } from '../generated/operations.ts'
import { Choice } from '../ui/field.tsx'

const ROLES: AdministratorRole[] = ['VIEWER', 'ADMIN', 'OWNER']

/** The role in the fields of a form. */
export const readRole = (fields: FormData): AdministratorRole =>
  ROLES.find((role) => role === fields.get('role')) ?? 'VIEWER'

export const RoleChoice = ({ current }: { current: AdministratorRole }) => (
  <Choice
    label={t('administrator.role')}
    name="role"
    hint={t('administrator.roleHint')}
    choices={ROLES.map((id) => ({ id, text: t(`administrator.role${id}`) }))}
    defaultValue={current}
  />
)
