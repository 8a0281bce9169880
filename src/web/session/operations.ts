// Operations of the sign-in. The build lists them with those of the studio, for `GRAPHQL_PERSISTED=only` (.config/web.ts).

const TOKENS = 'token expiresAt refreshToken'

export const SIGN_IN = `mutation SignIn($email: String!, $password: String!, $code: String) {
  signIn(email: $email, password: $password, code: $code) { ${TOKENS} }
}`
export const PREPARE_PASSKEY_SIGN_IN = 'mutation PreparePasskeySignIn { preparePasskeySignIn { setup challenge host } }'
export const SIGN_IN_WITH_PASSKEY = `mutation SignInWithPasskey($input: PasskeySignInInput!) {
  signInWithPasskey(input: $input) { ${TOKENS} }
}`
export const OPEN_INVITATION = `query OpenInvitation($token: String!) {
  openInvitation(token: $token) { email role organizationName }
}`
export const ACCEPT_INVITATION = `mutation AcceptInvitation($token: String!, $name: String!, $password: String!) {
  acceptInvitation(token: $token, name: $name, password: $password) { ${TOKENS} }
}`
export const SIGN_IN_BY_LINK = `mutation SignInByLink($token: String!, $code: String) {
  signInByLink(token: $token, code: $code) { ${TOKENS} }
}`
export const RENEW = `mutation Renew($refreshToken: String!) { refreshSignIn(refreshToken: $refreshToken) { ${TOKENS} } }`
export const SIGN_OUT = 'mutation SignOut { signOut { __typename } }'
export const VIEWER = `query Viewer {
  viewer {
    __typename
    ... on Administrator { email role organizationId }
    ... on KeyViewer { kind organizationId }
  }
}`
export const ORGANIZATION = 'query Organization($id: ID!) { organization(id: $id) { name } }'
