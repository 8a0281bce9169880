import manifest from '../../package.json'

/** The release of the service, from package.json: shown by `/health/ready`, `/openapi.json` and GraphQL's `version`. */
export const version = manifest.version
