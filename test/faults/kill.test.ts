// Processes of a deployment of two gateways, two edges and two workers that are killed or stand still.
import { afterEach, setDefaultTimeout, test } from 'bun:test'
import { until } from '../support/until.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { expectCleanStop, expectIntact } from './invariants.ts'
import { isNight, LIMIT_MS, serve, underLoad } from './load.ts'

setDefaultTimeout(LIMIT_MS)

let deployment: Deployment
afterEach(() => deployment?.stop())

test('workers that are killed at random lose nothing', async () => {
  deployment = await startDeployment({ storage: 's3' })
  const kills = isNight ? 500 : 40
  const uploads = await underLoad(deployment, kills, async () => {
    for (let kill = 0; kill < kills; kill++) {
      await serve(Math.random() * 2)
      await deployment.killAndRestart(deployment.anyOf('worker'))
    }
  })
  await expectIntact(deployment, uploads)
  await expectCleanStop(deployment)
})

test('gateways and edges that are killed under load lose no acknowledged upload', async () => {
  deployment = await startDeployment({ storage: 'file' })
  const kills = isNight ? 200 : 16
  const uploads = await underLoad(deployment, 3 * kills, async () => {
    for (let kill = 0; kill < kills; kill++) {
      await serve(Math.random())
      await deployment.killAndRestart(deployment.anyOf(kill % 2 === 0 ? 'gateway' : 'edge'))
    }
  })
  await expectIntact(deployment, uploads)
  await expectCleanStop(deployment)
})

test('the late result of a worker that stood still has no effect', async () => {
  deployment = await startDeployment({ storage: 's3' })
  const [frozen] = deployment.of('worker')
  const uploads = await underLoad(deployment, 24, async () => {
    await until('a job to run', 60_000, async () => {
      const rows = await deployment.database.query("SELECT FROM job WHERE state = 'running'")
      return rows.length > 2
    })
    frozen?.child.kill('SIGSTOP')
    await serve(isNight ? 120 : 45)
    frozen?.child.kill('SIGCONT')
  })
  await expectIntact(deployment, uploads)
  await expectCleanStop(deployment)
})
