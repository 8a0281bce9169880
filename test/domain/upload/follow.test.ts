// A page follows its own upload with nothing but its upload session (contract, section 3).
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { UNKNOWN_ID } from '../../spec/support.ts'
import { tone } from '../../support/audio.ts'
import { setProgress, setStatus, startReplica } from '../../support/live.ts'
import { type Json, useTestService } from '../../support/service.ts'
import { subscribe } from '../../support/subscriber.ts'
import { until } from '../../support/until.ts'

afterAll(() => replica.stop())
const service = useTestService({ SUBSCRIPTION_CHECK_SECONDS: '1' })
let replica: ReturnType<typeof startReplica>
beforeAll(() => {
  replica = startReplica(service)
})

const open: (() => void)[] = []
afterEach(async () => {
  for (const leave of open.splice(0)) leave()
  await until('all streams to end', 10_000, async () => replica.notifications.count() === 0)
})

const newSession = async (): Promise<string> =>
  (await service.v1('POST', '/upload_session', { body: { collection_id: service.demo.collection_id } })).json
    .upload_session_id
const newTrack = async (session: string, fileName = 'song.wav') => {
  const body = { file_name: fileName }
  const { json } = await service.v1('POST', `/upload/${session}/track`, { body, key: null })
  return { id: json.track_id as string, url: json.track_upload.upload_url as string }
}
const path = (session: string) => `/upload_session/${session}`
const eventsUrl = (session: string) => new URL(`/v1/upload_session/${session}/events`, replica.url)

/** Reads the stream of a session as a browser does. */
async function follow(session: string) {
  const leaving = new AbortController()
  open.push(() => leaving.abort())
  const response = await fetch(eventsUrl(session), { signal: leaving.signal })
  const events: { type: string; data: Json }[] = []
  let isEnded = false
  const reading = (async () => {
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const parts = text.split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const [, type = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? []
        if (type) events.push({ type, data: JSON.parse(data) })
      }
    }
  })()
  reading
    .catch(() => {})
    .then(() => {
      isEnded = true
    })
  const reached = (what: string, matches: (event: { type: string; data: Json }) => boolean) =>
    until(what, 10_000, async () => events.some(matches))
  return { response, events, reached, leave: () => leaving.abort(), isEnded: () => isEnded }
}

describe('GET of the session', () => {
  test('shows the state of its tracks, and of no other one', async () => {
    const [session, other] = [await newSession(), await newSession()]
    expect((await service.v1('GET', path(session), { key: null })).json.tracks).toEqual([])
    const [first, second] = [await newTrack(session, 'a.wav'), await newTrack(session, 'b.wav')]
    await newTrack(other)
    await service.services.db.track.update({
      where: { id: first.id },
      data: { status: 'init_error', statusCode: 'not_audio', statusText: 'The file contains no audio.' },
    })
    await setStatus(service, second.id, 'processing')
    await setProgress(service, second.id, 40)
    const { json } = await service.v1('GET', path(session), { key: null })
    expect(json.tracks).toEqual([
      {
        track_id: second.id,
        file_name: 'b.wav',
        track_status_id: 'processing',
        status_code: null,
        status_text: null,
        progress: 40,
      },
      {
        track_id: first.id,
        file_name: 'a.wav',
        track_status_id: 'init_error',
        status_code: 'not_audio',
        status_text: 'The file contains no audio.',
        progress: 100,
      },
    ])
    await service.v1('DELETE', `/track/${first.id}`)
    const { tracks } = (await service.v1('GET', path(session), { key: null })).json
    expect(tracks.map((track: Json) => track.track_id)).toEqual([second.id])
  })

  test('shows the same in GraphQL', async () => {
    const session = await newSession()
    const { id } = await newTrack(session)
    const query = `{ uploadSession(id: "${session}") {
      tracks { trackId fileName status statusCode statusText progressPercent isFinal isDeleted } } }`
    const { data } = await service.graphql(query, {}, null)
    expect(data.uploadSession.tracks).toEqual([
      {
        trackId: id,
        fileName: 'song.wav',
        status: 'INITIALIZED',
        statusCode: null,
        statusText: null,
        progressPercent: 0,
        isFinal: false,
        isDeleted: false,
      },
    ])
  })
})

describe('the stream of events', () => {
  test('follows an upload to its end, without a key', async () => {
    const session = await newSession()
    const stream = await follow(session)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*')
    const { id, url } = await newTrack(session)
    await stream.reached('the new track', ({ data }) => data.track_status_id === 'initialized')
    await service.fetchEdge(url, { method: 'PUT', body: new Blob([await tone(1)]) })
    await service.runJobs()
    await stream.reached('the end', ({ data }) => data.track_status_id === 'ready')
    expect(stream.events.every(({ type, data }) => type === 'track' && data.track_id === id)).toBe(true)
    const shownStates = stream.events.map(({ data }) => data)
    expect(Object.keys(shownStates[0]).sort()).toEqual([
      'file_name',
      'progress',
      'status_code',
      'status_text',
      'track_id',
      'track_status_id',
    ])
    expect(shownStates.at(-1)).toMatchObject({ track_status_id: 'ready', progress: 100 })
    expect(shownStates.map(({ track_status_id }) => track_status_id)).toContain('processing')
  }, 60_000)

  test('begins with the states of now, sends no state of other sessions, and names a deleted track', async () => {
    const [session, other] = [await newSession(), await newSession()]
    const [track, foreign] = [await newTrack(session), await newTrack(other)]
    const stream = await follow(session)
    await stream.reached('the state of now', ({ data }) => data.track_id === track.id)
    await setStatus(service, foreign.id, 'processing')
    await setStatus(service, track.id, 'processing')
    await stream.reached('the change', ({ data }) => data.track_status_id === 'processing')
    await service.v1('DELETE', `/track/${track.id}`)
    await stream.reached('the deletion', ({ type }) => type === 'deleted')
    expect(stream.events.at(-1)).toEqual({ type: 'deleted', data: { track_id: track.id } })
    expect(stream.events.filter(({ data }) => data.track_id !== track.id)).toEqual([])
  })

  test('ends with its session', async () => {
    const session = await newSession()
    const stream = await follow(session)
    await service.services.db.uploadSession.update({ where: { id: session }, data: { expiresAt: new Date() } })
    await stream.reached('the end of the session', ({ type }) => type === 'end')
    expect(stream.events.at(-1)?.data).toEqual({ code: 'expired', message: expect.any(String) })
    await until('the connection to end', 10_000, async () => stream.isEnded())
  })

  test('is refused for an unknown, an expired and a deleted session', async () => {
    expect((await service.v1('GET', `${path(UNKNOWN_ID)}/events`, { key: null })).json.code).toBe('not_found')
    const session = await newSession()
    await service.services.db.uploadSession.update({ where: { id: session }, data: { expiresAt: new Date() } })
    const { status, json } = await service.v1('GET', `${path(session)}/events`, { key: null })
    expect([status, json.code]).toEqual([410, 'expired'])
  })

  test('HEAD has its headers, and subscribes to nothing', async () => {
    const { status, headers } = await fetch(eventsUrl(await newSession()), { method: 'HEAD' })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(replica.notifications.count()).toBe(0)
  })

  test('is counted while it is open', async () => {
    const open = async () => (await service.services.metrics.subscriptions.get()).values[0]?.value ?? 0
    const before = await open()
    const stream = await follow(await newSession())
    await until('the stream to be counted', 10_000, async () => (await open()) === before + 1)
    stream.leave()
    await until('the stream to be closed', 10_000, async () => (await open()) === before)
  })
})

describe('the subscription', () => {
  const query = `subscription ($id: ID!) { uploadSessionChanged(id: $id) {
    trackId status statusCode progressPercent isFinal isDeleted } }`

  test('follows the session without a key', async () => {
    const session = await newSession()
    const client = subscribe(replica.url, { key: null, query, variables: { id: session } })
    open.push(client.leave)
    const { id } = await newTrack(session)
    const changes = () => client.received.map(({ data }: Json) => data.uploadSessionChanged)
    await until('the new track', 10_000, async () => changes().length > 0)
    await setStatus(service, id, 'processing')
    await until('the change', 10_000, async () => changes().some(({ status }: Json) => status === 'PROCESSING'))
    await service.services.db.track.update({
      where: { id },
      data: { status: 'error', statusCode: 'damaged', statusText: 'Damaged.' },
    })
    await until('the failure', 10_000, async () => changes().some(({ isFinal }: Json) => isFinal))
    expect(changes().at(-1)).toEqual({
      trackId: id,
      status: 'ERROR',
      statusCode: 'damaged',
      progressPercent: 100,
      isFinal: true,
      isDeleted: false,
    })
  })
})
