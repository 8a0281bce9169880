// `bun run schema`: writes the GraphQL schema for clients. A test compares the file with the code.
import { writeFileSync } from 'node:fs'
import { schemaFile, sdl } from '../src/roles/gateway/sdl.ts'

writeFileSync(schemaFile, sdl)
process.exit(0)
