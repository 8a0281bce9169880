// Checks manifests on standard input against the schemas of the API versions that they name. Prints a line for each: its kind, and the
// mistake if there is one.
import { readFileSync } from 'node:fs'

const operator = '@kubernetes-models/prometheus-operator'

for (const manifest of JSON.parse(readFileSync(0, 'utf8'))) {
  const { apiVersion, kind } = manifest
  const library = apiVersion.startsWith('monitoring.coreos.com/') ? operator : 'kubernetes-models'
  const { [kind]: Model } = await import(`${library}/${apiVersion}/${kind}`)
  try {
    new Model(manifest).validate()
    console.log(`${apiVersion} ${kind}`)
  } catch (error) {
    console.log(`${apiVersion} ${kind}: ${error instanceof Error ? error.message : error}`)
  }
}
