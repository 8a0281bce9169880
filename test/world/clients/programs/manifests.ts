// Checks manifests on standard input against the schemas of the API versions that they name. Prints a line for each: its kind, and the
// mistake if there is one.
const operator = '@kubernetes-models/prometheus-operator'

for (const manifest of await Bun.stdin.json()) {
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
