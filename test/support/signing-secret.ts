import { openSecret } from '../../src/domain/delivery/secret.ts'
import { createSigning } from '../../src/platform/identity/signing.ts'
import type { TestService } from './service.ts'

/** Returns the secrets of the delivery token of an organization, the one that signs first. Defaults to the demo's. */
export async function deliverySecrets({ services, demo }: TestService, id = demo.organization_id): Promise<string[]> {
  const { signingSecrets } = await services.db.organization.findUniqueOrThrow({ where: { id } })
  return signingSecrets.map((stored) => openSecret(services, stored))
}

/** Decrypts a stored secret of a service in another process. @param rootSecret its SECRET */
export const openWith = (rootSecret: string, stored: string) =>
  openSecret({ signing: createSigning(rootSecret) }, stored)
