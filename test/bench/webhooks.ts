import { sendThroughStorm } from '../faults/webhook-storm.ts'
import type { Figure } from './main.ts'
import { benchWebhookRates } from './webhook-rates.ts'

const STORM = { events: 1000, kills: 20, refused: 0.3 }

/** A thousand events to a receiver that refuses three in ten, while the process that sends them is killed 20 times. */
async function benchStorm(): Promise<Figure[]> {
  const { recorded, arrived, forgotten, messages, forged, changed, seconds } = await sendThroughStorm(STORM)
  console.log(`webhooks: ${recorded} events, ${messages} messages, ${STORM.kills} kills, ${seconds.toFixed(0)} s`)
  const lost = recorded - arrived + forgotten
  return [
    {
      what: `webhooks, ${STORM.kills} kills, 30 % refused: events that arrived`,
      measured: `${arrived} of ${recorded}`,
      goal: `all, >= ${STORM.events}`,
      isMet: lost === 0 && arrived >= STORM.events,
    },
    {
      what: 'webhooks: forged signatures, bodies that changed',
      measured: `${forged}, ${changed}`,
      goal: '0, 0',
      isMet: forged + changed === 0,
    },
  ]
}

/** Deliveries per second, and what arrives in a storm. */
export const benchWebhooks = async (): Promise<Figure[]> => [...(await benchWebhookRates()), ...(await benchStorm())]
