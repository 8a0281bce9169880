// `bun run schema`: writes the GraphQL schema as clients read it. A test holds the file against the code.
import { writeFileSync } from 'node:fs'
import { schemaFile, sdl } from '../src/roles/gateway/sdl.ts'

writeFileSync(schemaFile, sdl)
process.exit(0)
