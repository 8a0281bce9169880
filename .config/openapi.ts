// `bun .config/openapi.ts`: writes the OpenAPI document of /v1, from which the pages of the reference are built.
import { join } from 'node:path'
import { composeDocument, exampleAddresses } from '../src/roles/gateway/openapi/document.ts'
import { root } from './once.ts'

await Bun.write(join(root, 'src/web/docs/generated/openapi.json'), JSON.stringify(composeDocument(exampleAddresses)))
process.exit(0)
