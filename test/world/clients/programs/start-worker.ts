// Runs the bundled Worker in workerd, sends it a recording, and prints its answer.
import { readFileSync } from 'node:fs'
import { Miniflare } from 'miniflare'

const { WORKER = '', FILE = '', BASE_URL = '', API_KEY = '', COLLECTION = '' } = process.env
const worker = new Miniflare({
  modules: true,
  scriptPath: WORKER,
  compatibilityDate: '2026-07-01',
  bindings: { BASE_URL, API_KEY, COLLECTION },
})
try {
  const response = await worker.dispatchFetch('http://worker.test/', { method: 'POST', body: readFileSync(FILE) })
  console.log(await response.text())
} finally {
  await worker.dispose()
}
