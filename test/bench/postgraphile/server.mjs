// PostGraphile's recommended preset over the service's own database, served as its manual says.
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const { DATABASE_URL: connectionString, PORT } = process.env
const serv = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ['public'] })],
  grafserv: { graphiql: false, watch: false },
}).createServ(grafserv)
const server = createServer()
await serv.addTo(server)
server.listen(Number(PORT), '127.0.0.1')
