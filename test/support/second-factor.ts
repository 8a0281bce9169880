import { computeCode, stepAt } from '../../src/domain/access/second-factor/totp.ts'
import { data, type Person, signIn } from './administrators.ts'
import type { TestService } from './service.ts'

const ENABLE = `mutation ($setup: String!, $password: String!, $code: String!) {
  enableSecondFactor(setup: $setup, password: $password, code: $code) { recoveryCodes } }`

/** The code that an app shows now, or some steps later or earlier. */
export const codeNow = ({ services }: TestService, secret: string, steps = 0) =>
  computeCode(secret, stepAt(services.clock()) + steps)

/** Signs in and enables a second factor, with the code of the step before, so that the current one is unused. */
export async function enableFactor(service: TestService, person: Person) {
  const { token } = await signIn(service, person)
  const { prepareSecondFactor: prepared } = await data(
    service,
    'mutation { prepareSecondFactor { setup secret uri } }',
    {},
    token,
  )
  const { setup, secret, uri } = prepared as { setup: string; secret: string; uri: string }
  const code = codeNow(service, secret, -1)
  const { enableSecondFactor: enabled } = await data(service, ENABLE, { setup, password: person.password, code }, token)
  return { token: token as string, setup, secret, uri, recoveryCodes: enabled.recoveryCodes as string[] }
}
