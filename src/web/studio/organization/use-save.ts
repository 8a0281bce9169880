import { UpdateOrganizationDocument } from '../generated/operations.ts'
import { useEdit } from '../use-edit.ts'

/** Saves some settings of the organization and says so. */
export function useSave(id: string) {
  const { save, isBusy, error } = useEdit(UpdateOrganizationDocument, id)
  return { save, isBusy, error }
}
