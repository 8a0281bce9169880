import { t } from '../../strings.ts'
import { useChange } from '../api.ts'
import { UpdateOrganizationDocument, type UpdateOrganizationInput } from '../generated/operations.ts'
import { say } from '../ui/notice.tsx'

/** Saves some settings of the organization and says so. */
export function useSave(id: string) {
  const update = useChange(UpdateOrganizationDocument)
  const save = (input: UpdateOrganizationInput) =>
    update.mutate({ id, input }, { onSuccess: () => say(t('studio.saved')) })
  return { save, isBusy: update.isPending, error: update.error }
}
