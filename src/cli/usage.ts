export const USAGE = 'usage: tonearm start | admin <command> | demo FILE | doctor [--json] | help | --version'

export const START_USAGE =
  'usage: start. Runs the service until SIGTERM or SIGINT. Its settings are environment variables: .env.example lists them.'
