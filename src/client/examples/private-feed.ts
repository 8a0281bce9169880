// Creates a podcast feed for one subscriber: `node private-feed.js "Ada Lovelace"`. Each subscriber has a share key, so that
// `/v1/usage?group_by=key` counts plays for each, and a feed ends when an administrator revokes its key in the studio.
import { createClient, readData } from '@tonearm/client'

const { BASE_URL = 'http://localhost:3000', API_KEY, COLLECTION = '' } = process.env
const [subscriber = ''] = process.argv.slice(2)
const { rest } = createClient({ baseUrl: BASE_URL, apiKey: API_KEY })

const { api_key } = readData(
  await rest.POST('/v1/api_key', {
    body: { title: `Feed of ${subscriber}`, api_key_type_id: 'share', variants: ['hq'], collection_id: COLLECTION },
  }),
)
console.log(new URL(`/s/collection/${COLLECTION}/${api_key}/feed.xml`, BASE_URL).href)
