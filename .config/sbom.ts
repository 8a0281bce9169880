// Writes the software bill of materials in CycloneDX JSON: `bun run sbom [FILE]`. Without a file, to standard output.
import { writeFileSync } from 'node:fs'
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library'
import manifest from '../package.json'
import { type LockedPackage, lockedPackages } from './packages.ts'

/** Address of a package as in the specification of package URLs. */
const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

function componentOf({ key, name, version, license, sha512, isDevelopment }: LockedPackage): Models.Component {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const component = new Models.Component(Enums.ComponentType.Library, short ?? name, {
    // Keys are unique; a version may be installed in several places.
    bomRef: key,
    group,
    version,
    purl: purlOf(name, version),
    scope: isDevelopment ? Enums.ComponentScope.Excluded : Enums.ComponentScope.Required,
  })
  if (sha512) component.hashes.set(Enums.HashAlgorithm['SHA-512'], sha512)
  if (license) {
    component.licenses.add(
      SPDX.isSupportedSpdxId(license) ? new Models.SpdxLicense(license) : new Models.NamedLicense(license),
    )
  }
  return component
}

/** Returns all packages of the lockfile and what they depend on. Tests and tools have the scope `excluded`. */
export function createSbom(): string {
  const packages = lockedPackages()
  const components = new Map(packages.map((one) => [one.key, componentOf(one)]))
  const connect = (component: Models.Component, keys: string[]) => {
    for (const key of keys) {
      const other = components.get(key)
      if (other) component.dependencies.add(other.bomRef)
    }
  }
  for (const { key, dependencies } of packages) connect(components.get(key) as Models.Component, dependencies)
  const service = new Models.Component(Enums.ComponentType.Application, manifest.name, {
    bomRef: manifest.name,
    version: manifest.version,
  })
  service.licenses.add(new Models.SpdxLicense(manifest.license))
  const [runtime = '', version = ''] = manifest.packageManager.split('@')
  const bun = new Models.Component(Enums.ComponentType.Platform, runtime, { bomRef: `runtime:${runtime}`, version })
  service.dependencies.add(bun.bomRef)
  connect(service, Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: service }) })
  bom.components.add(bun)
  for (const component of components.values()) bom.components.add(component)
  const normalize = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  return new Serialize.JsonSerializer(normalize).serialize(bom, { sortLists: true, space: 2 })
}

if (import.meta.main) {
  const [file] = process.argv.slice(2)
  const text = createSbom()
  if (file) writeFileSync(file, text)
  else process.stdout.write(`${text}\n`)
}
