// Transcriptions that a provider of speech recognition makes (decision 0087).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { findCrowding } from '../../../src/domain/processing/queue/slots.ts'
import { createForeign, ok, refused, UNKNOWN_ID } from '../../spec/support.ts'
import { codeOf, data, post, signIn, sql, whileLocked } from '../../support/administrators.ts'
import { eventsOf } from '../../support/processed.ts'
import { changeEntries, deleteEntries, readEntries } from '../../support/queue.ts'
import { answerAsOpenAi, refuseTimes, type Sentence, sayNumbers, startRecognizer } from '../../support/recognizer.ts'
import { replacing } from '../../support/replacement.ts'
import { type Json, uploadTrack, useTestService } from '../../support/service.ts'

const recognizer = startRecognizer()
afterAll(() => recognizer.stop())
const service = useTestService({
  TRANSCRIBE_URL: recognizer.address,
  TRANSCRIBE_KEY: 'secret-of-the-provider',
  TRANSCRIBE_MODEL: 'a-model',
  TRANSCRIBE_PROMPT: 'Tonearm',
  TRANSCRIBE_MAX_HOURS: '1',
})
let owner: string
beforeAll(async () => {
  owner = (await signIn(service)).token
  await sql(service, "UPDATE variant SET deleted_at = now() WHERE index <> 'lq'")
})
beforeEach(async () => {
  recognizer.all.length = 0
  recognizer.control.answer = (sound) => answerAsOpenAi(sound)
  await sql(service, 'DELETE FROM transcription_month')
  await sql(service, "DELETE FROM job WHERE kind = 'transcribe_track'")
  await deleteEntries(service.services.pool)
})

const greeting: Sentence[] = [
  [1, 2, 3],
  [4, 5],
]

/** Uploads a recording of sentences, and makes its files. @returns its ID */
async function record(sentences = greeting, pauseSeconds?: number): Promise<string> {
  const id = await uploadTrack(service, sayNumbers(sentences, pauseSeconds))
  await service.runJobs()
  return id
}

const longSentences = Array.from({ length: 150 }, (_, at) => [at, at + 1, at + 2, at + 3, at + 4])
let longTrack: string | undefined

/** A track of more than five minutes without a transcription. All tests have the same one: its files take seconds to make. */
async function prepareLong(): Promise<string> {
  longTrack ??= await record(longSentences)
  await service.v1('PUT', `/track/${longTrack}`, { body: { transcription: null } })
  return longTrack
}

const TRANSCRIBE = `mutation ($id: ID!, $input: TranscribeTrackInput) { transcribeTrack(id: $id, input: $input) {
  job { id kind state track { id } transcriptionProgress { doneSeconds recordingSeconds } } } }`
const order = async (id: string, input?: object): Promise<Json> =>
  (await data(service, TRANSCRIBE, { id, input }, owner)).transcribeTrack.job
const tryOrder = (id: string, key = owner) => post(service, TRANSCRIBE, { id }, { key })

/** Orders a transcription and makes it. @returns the job and the track */
async function transcribe(id: string, input?: object) {
  const { id: jobId } = await order(id, input)
  await service.runJobs()
  return { job: await readJob(jobId), track: await readTrack(id) }
}
const readJob = (id: string) =>
  service.services.db.job.findUniqueOrThrow({ where: { id }, include: { transcription: true } })
const READ = `query ($id: ID!) { track(id: $id) { transcription transcriptionLanguage transcribedAt status
  jobs(filter: { kind: [TRANSCRIBE_TRACK] }, first: 1) { nodes { id state error } } } }`
const readTrack = async (id: string): Promise<Json> => (await data(service, READ, { id }, owner)).track
const setText = (id: string, transcription: string | null) =>
  service.v1('PUT', `/track/${id}`, { body: { transcription } })
const readEvents = async (id: string) =>
  (await eventsOf(service, id))
    .filter(({ type }) => type.startsWith('track.trans'))
    .map(({ type, data }) => ({ type, ...data }))
const readQuota = async () =>
  (
    await data(
      service,
      'query ($id: ID!) { organization(id: $id) { transcriptionQuota { maxSeconds usedSeconds } } }',
      { id: service.demo.organization_id },
      owner,
    )
  ).organization.transcriptionQuota
/** Cues without the times: each text. */
const textsOf = (transcription: string) => [...transcription.matchAll(/-->.*\n(.*)/g)].map(([, text]) => text)
/** Times of a line of WebVTT with `-->`, in seconds. */
const spansOf = (transcription: string) =>
  [...transcription.matchAll(/(\d\d):(\d\d):([\d.]+) --> (\d\d):(\d\d):([\d.]+)/g)].map((match) => {
    const [h1 = 0, m1 = 0, s1 = 0, h2 = 0, m2 = 0, s2 = 0] = match.slice(1).map(Number)
    return [h1 * 3600 + m1 * 60 + s1, h2 * 3600 + m2 * 60 + s2] as const
  })

describe('a transcription', () => {
  test('is made from the recording, with the times of what is said', async () => {
    const id = await record()
    const { job, track } = await transcribe(id)
    expect(job).toMatchObject({ state: 'done', error: null, attempts: 1 })
    expect(track).toMatchObject({ transcriptionLanguage: 'en', transcribedAt: expect.any(String), status: 'READY' })
    expect(track.transcription.startsWith('WEBVTT\n')).toBe(true)
    expect(textsOf(track.transcription)).toEqual(['w1 w2 w3', 'w4 w5'])
    const [[start, end] = [0, 0], [next] = [0]] = spansOf(track.transcription)
    expect(start).toBeCloseTo(0.6, 1)
    expect(end).toBeCloseTo(1.8, 1)
    expect(next).toBeCloseTo(2.4, 1)
    expect(await readEvents(id)).toEqual([
      expect.objectContaining({
        type: 'track.transcribed',
        track_id: id,
        job_id: job.id,
        transcription_language: 'en',
      }),
    ])
  }, 30_000)

  test('sends a WAV of 16 kHz with key, model, language and prompt, as the reference of OpenAI names them', async () => {
    await transcribe(await record(), { language: 'de-AT', prompt: 'Klangwerk' })
    expect(recognizer.all).toHaveLength(1)
    const [request] = recognizer.all
    if (!request) throw new Error('no request')
    const { headers, fields, fileName, seconds } = request
    expect(headers.authorization).toBe('Bearer secret-of-the-provider')
    expect(fields).toEqual({
      model: 'a-model',
      response_format: 'verbose_json',
      temperature: '0',
      language: 'de',
      prompt: 'Klangwerk',
    })
    expect(fileName).toEndWith('.wav')
    expect(seconds).toBeCloseTo(0.6 + 1.2 + 0.6 + 0.8 + 0.6, 1)
  }, 30_000)

  test('has the language that was asked for; without one the language of the track', async () => {
    const id = await record()
    expect((await transcribe(id, { language: 'de-AT' })).track.transcriptionLanguage).toBe('de-AT')
    await transcribe(id)
    expect(recognizer.all.map(({ fields }) => fields.language)).toEqual(['de', 'de'])
    expect(recognizer.all.map(({ fields }) => fields.prompt)).toEqual(['Tonearm', 'Tonearm'])
  }, 30_000)

  test.each([
    ['German', 'de'],
    ['pt', 'pt'],
    ['norwegian', 'no'],
    ['jw', 'jv'],
    ['klingon', null],
  ])(
    'reads the language %s of an answer as %s',
    async (answered, language) => {
      recognizer.control.answer = (sound) => answerAsOpenAi(sound, answered)
      const { track } = await transcribe(await record())
      expect(track.transcriptionLanguage).toBe(language)
    },
    30_000,
  )

  test('has no markup and no control characters of the provider', async () => {
    recognizer.control.answer = () =>
      Response.json({
        text: 'x',
        segments: [
          { start: -1, end: 99, text: 'a <b>\0\n\n--> & c' },
          { start: 1, end: 2, text: '  ' },
        ],
      })
    const { track } = await transcribe(await record())
    expect(textsOf(track.transcription)).toEqual(['a &lt;b&gt; --&gt; &amp; c'])
    // Not before the start, and not after the end of the sound.
    const [[start, end] = [1, 0]] = spansOf(track.transcription)
    expect(start).toBe(0)
    expect(end).toBeLessThan(4.5)
  }, 30_000)

  test('fails without speech, and counts', async () => {
    recognizer.control.answer = () => Response.json({ text: '', language: 'english', segments: [] })
    const id = await record()
    const { job, track } = await transcribe(id)
    expect(job).toMatchObject({ state: 'failed', error: 'no_speech' })
    expect(track.transcription).toBeNull()
    expect(await readEvents(id)).toEqual([
      expect.objectContaining({
        type: 'track.transcription_failed',
        status_code: 'no_speech',
        status_text: expect.stringContaining('No speech'),
      }),
    ])
    expect((await readQuota()).usedSeconds).toBeGreaterThan(3)
  }, 30_000)

  test('of silence sends nothing', async () => {
    const { job } = await transcribe(await record([], 3))
    expect(job).toMatchObject({ state: 'failed', error: 'no_speech' })
    expect(recognizer.all).toEqual([])
    expect((await readQuota()).usedSeconds).toBe(0)
  }, 30_000)
})

describe('a model without times', () => {
  test.each([
    ['that refuses them', () => refuseTimes()],
    ['that leaves them out', (text: string) => Response.json({ text })],
  ])(
    '%s has a cue for each piece of half a minute or less, which ends in a pause',
    async (_, refuse) => {
      recognizer.control.answer = (sound) =>
        sound.fields.response_format === 'json'
          ? answerAsOpenAi(sound)
          : refuse(sound.segments.map(({ text }) => text).join(' '))
      const sentences = Array.from({ length: 20 }, (_, at) => [3 * at, 3 * at + 1, 3 * at + 2, 3 * at])
      const { track } = await transcribe(await record(sentences))
      const texts = textsOf(track.transcription)
      expect(texts.join(' ')).toBe(
        sentences
          .flat()
          .map((word) => `w${word}`)
          .join(' '),
      )
      expect(texts.length).toBeGreaterThan(1)
      for (const [start, end] of spansOf(track.transcription)) expect(end - start).toBeLessThanOrEqual(31)
      // Each later piece is prompted with what was said.
      expect(recognizer.all.at(-1)?.fields.prompt).toMatch(/^Tonearm .*w\d+$/)
    },
    30_000,
  )
})

describe('a recording of more than five minutes', () => {
  test('is sent in pieces that end in pauses: each word is said once, at its time', async () => {
    const { job, track } = await transcribe(await prepareLong())
    expect(job.state).toBe('done')
    expect(recognizer.all.map(({ seconds }) => seconds > 300)).toEqual([false, false])
    expect(textsOf(track.transcription)).toEqual(
      longSentences.map((words) => words.map((word) => `w${word}`).join(' ')),
    )
    for (const [at, [start]] of spansOf(track.transcription).entries()) expect(start).toBeCloseTo(0.6 + 2.6 * at, 0)
    // The second piece is in the language of the first.
    expect(recognizer.all.map(({ fields }) => fields.language)).toEqual([undefined, 'en'])
  }, 60_000)

  test('goes on where an attempt has failed, and pays no piece twice', async () => {
    const id = await prepareLong()
    recognizer.control.answer = (sound, count) =>
      count === 2 ? new Response('busy', { status: 503 }) : answerAsOpenAi(sound)
    const { id: jobId } = await order(id)
    await service.runJobs()
    const failed = await readJob(jobId)
    expect(failed).toMatchObject({ state: 'running', failures: 1, retryAt: expect.any(Date) })
    expect(failed.transcription?.doneSeconds).toBeGreaterThan(170)
    expect((await readTrack(id)).transcription).toBeNull()
    await changeEntries(service.services.pool, { dueIn: 0 }, { key: jobId })
    await service.runJobs()
    expect(await readJob(jobId)).toMatchObject({ state: 'done', failures: 0, failingSince: null })
    expect(recognizer.all).toHaveLength(3)
    expect(textsOf((await readTrack(id)).transcription)).toHaveLength(150)
    const { usedSeconds } = await readQuota()
    expect(usedSeconds).toBeGreaterThan(390)
    expect(usedSeconds).toBeLessThan(394)
  }, 60_000)
})

test('a job whose provider answers now and then is not given up after a day', async () => {
  const id = await prepareLong()
  recognizer.control.answer = (sound, count) =>
    count === 1 ? answerAsOpenAi(sound) : new Response('', { status: 500 })
  const { id: jobId } = await order(id)
  await sql(service, "UPDATE job SET failures = 99, failing_since = now() - interval '26 hours' WHERE id = $1", [jobId])
  await service.runJobs()
  const job = await readJob(jobId)
  expect(job).toMatchObject({ state: 'running', failures: 1 })
  expect(Date.now() - (job.failingSince?.getTime() ?? 0)).toBeLessThan(60_000)
}, 60_000)

test('a track is transcribed while another file of it is made', async () => {
  const id = await record()
  await sql(service, "UPDATE track SET status = 'processing' WHERE id = $1", [id])
  expect((await transcribe(id)).job.state).toBe('done')
}, 30_000)

describe('the provider', () => {
  test.each([
    ['429', () => new Response('slow down', { status: 429, headers: { 'retry-after': '900' } }), 900],
    ['500', () => new Response('', { status: 500 }), 5],
    ['a wrong key', () => Response.json({ error: { message: 'Incorrect API key' } }, { status: 401 }), 5],
    ['a page instead of JSON', () => new Response('<html>'), 5],
  ])(
    'with %s is tried again later, and the track stays ready',
    async (_, answer, seconds) => {
      recognizer.control.answer = answer
      const id = await record()
      const { job, track } = await transcribe(id)
      expect(job).toMatchObject({ state: 'running', failures: 1, error: null })
      const pauseMs = (job.retryAt?.getTime() ?? 0) - Date.now()
      expect(pauseMs).toBeGreaterThan((seconds - 5) * 1000)
      expect(pauseMs).toBeLessThan((seconds + 5) * 1000)
      expect(track).toMatchObject({ status: 'READY', transcription: null })
    },
    30_000,
  )

  test('that cannot be reached for more than a day ends the job', async () => {
    recognizer.control.answer = () => new Response('', { status: 500 })
    const id = await record()
    const { id: jobId } = await order(id)
    await sql(service, "UPDATE job SET failing_since = now() - interval '26 hours' WHERE id = $1", [jobId])
    await service.runJobs()
    expect(await readJob(jobId)).toMatchObject({ state: 'failed', error: 'provider_unavailable' })
    expect(await readEvents(id)).toEqual([expect.objectContaining({ status_code: 'provider_unavailable' })])
  }, 30_000)

  test.each([
    ['400', () => Response.json({ error: { message: 'Invalid file format.' } }, { status: 400 })],
    ['an error with the status 200, as whisper.cpp', () => Response.json({ error: 'failed to process audio' })],
  ])(
    'with %s ends the job',
    async (_, answer) => {
      recognizer.control.answer = answer
      const { job } = await transcribe(await record())
      expect(job).toMatchObject({ state: 'failed', error: 'provider_refused' })
    },
    30_000,
  )
})

describe('a transcription that a client has set', () => {
  test('is never replaced', async () => {
    const id = await record()
    await setText(id, 'By a person')
    expect(codeOf(await tryOrder(id))).toBe('transcription_set')
    expect((await readTrack(id)).transcription).toBe('By a person')
  }, 30_000)

  test('while the provider works wins, and the job is cancelled', async () => {
    const id = await record()
    recognizer.control.answer = async (sound) => {
      await setText(id, 'By a person')
      return answerAsOpenAi(sound)
    }
    const { job, track } = await transcribe(id)
    expect(job).toMatchObject({ state: 'cancelled', error: 'transcription_set' })
    expect(track).toMatchObject({ transcription: 'By a person', transcribedAt: null })
    expect((await readQuota()).usedSeconds).toBe(0)
  }, 30_000)

  test('replaces one that was made, which is then not replaced', async () => {
    const id = await record()
    const { track } = await transcribe(id)
    await setText(id, `${track.transcription}\n`)
    expect((await readTrack(id)).transcribedAt).toBeNull()
    expect(codeOf(await tryOrder(id))).toBe('transcription_set')
    await setText(id, null)
    expect((await transcribe(id)).track.transcribedAt).not.toBeNull()
  }, 30_000)

  test('is the same as before: it stays one that was made', async () => {
    const id = await record()
    const { track } = await transcribe(id)
    await setText(id, track.transcription)
    expect((await readTrack(id)).transcribedAt).toBe(track.transcribedAt)
  }, 30_000)
})

describe('an order', () => {
  test('of a track that is queued returns its job', async () => {
    const id = await record()
    const { id: jobId, ...job } = await order(id)
    expect(job).toMatchObject({ kind: 'TRANSCRIBE_TRACK', state: 'QUEUED', track: { id } })
    expect(job.transcriptionProgress).toEqual({ doneSeconds: 0, recordingSeconds: expect.any(Number) })
    expect((await order(id)).id).toBe(jobId)
    await service.runJobs()
    expect(recognizer.all).toHaveLength(1)
  }, 30_000)

  test('beyond the hours of the month is refused: what was transcribed and what is queued counts', async () => {
    const [first, second] = [await record(), await record()]
    await sql(service, 'UPDATE track SET duration_seconds = 3598 WHERE id = $1', [first])
    await order(first)
    expect(await readQuota()).toEqual({ maxSeconds: 3600, usedSeconds: 3598 })
    expect(codeOf(await tryOrder(second))).toBe('limit_reached')
    await service.runJobs()
    // Its recording has three seconds.
    expect((await readQuota()).usedSeconds).toBeLessThan(5)
    await sql(service, 'UPDATE transcription_month SET seconds = 3597')
    expect(codeOf(await tryOrder(second))).toBe('limit_reached')
    await sql(service, "UPDATE transcription_month SET month = month - interval '1 month'")
    await order(second)
    await service.runJobs()
  }, 30_000)

  test('of two tracks at once does not exceed the hours together', async () => {
    const ids = [await record(), await record()]
    await sql(service, 'UPDATE track SET duration_seconds = 2000 WHERE id = ANY($1::uuid[])', [ids])
    // Statements of both have begun before either has queued a job.
    const lock = 'SELECT 1 FROM organization WHERE id = $1 FOR NO KEY UPDATE'
    const begin = () => Promise.all(ids.map((id) => tryOrder(id)))
    const answers = await whileLocked(service, [[lock, [service.demo.organization_id]]], begin, 2)
    expect(answers.map((answer) => codeOf(answer) ?? 'ok').sort()).toEqual(['limit_reached', 'ok'])
    await service.runJobs()
  }, 30_000)

  test.each([
    ['longer than six hours', 'duration_seconds = 21601', 'limit_reached'],
    ['whose recording is being examined', "status = 'processing', duration_seconds = NULL", 'track_processing'],
    ['without a usable recording', 'duration_seconds = NULL', 'no_source_file'],
  ])(
    'of a track %s is refused',
    async (_, change, code) => {
      const id = await record()
      await sql(service, `UPDATE track SET ${change} WHERE id = $1`, [id])
      expect(codeOf(await tryOrder(id))).toBe(code)
      expect(codeOf(await tryOrder(UNKNOWN_ID))).toBe('not_found')
    },
    30_000,
  )

  test('can be cancelled: a running attempt writes nothing', async () => {
    const id = await record()
    recognizer.control.answer = async (sound) => {
      await data(service, 'mutation ($id: ID!) { cancelTranscription(id: $id) { track { id } } }', { id }, owner)
      return answerAsOpenAi(sound)
    }
    const { job, track } = await transcribe(id)
    expect(job).toMatchObject({ state: 'cancelled', error: null })
    expect(track.transcription).toBeNull()
  }, 30_000)

  test('in /v1 has the same fields and refusals, and is cancelled', async () => {
    const id = await record()
    const send = (method: string, body?: object) => service.v1(method, `/track/${id}/transcribe`, { body })
    const { job_id: jobId } = ok(await send('POST', { language: 'DE', prompt: 'Pier' }))
    expect(ok(await send('POST', {})).job_id).toBe(jobId)
    await service.runJobs()
    expect(recognizer.all.map(({ fields: { language, prompt } }) => [language, prompt])).toEqual([['de', 'Pier']])
    ok(await setText(id, 'By hand'))
    refused(await send('POST'), 409, 'transcription_set')
    refused(await send('POST', { language: 'de_AT' }), 400, 'invalid_input', 'language')
    ok(await setText(id, null))
    const { job_id: second } = ok(await send('POST'))
    expect(ok(await send('DELETE'))).toMatchObject({ track_id: id })
    expect((await readJob(second)).state).toBe('cancelled')
    ok(await send('DELETE'))
  }, 30_000)

  test('of a deleted track goes on after its restoration', async () => {
    const id = await record()
    await order(id, { language: 'de' })
    await service.v1('DELETE', `/track/${id}`)
    await service.runJobs()
    expect(recognizer.all).toEqual([])
    await data(service, 'mutation ($id: ID!) { restoreTrack(id: $id) { track { id } } }', { id }, owner)
    await service.runJobs()
    expect(recognizer.all.map(({ fields }) => fields.language)).toEqual(['de'])
    expect((await readTrack(id)).transcription).toContain('w1 w2 w3')
  }, 30_000)
})

describe('between organizations', () => {
  let foreign: Awaited<ReturnType<typeof createForeign>>
  beforeAll(async () => {
    foreign = await createForeign(service)
  })
  const makeForeignTrack = async () => {
    const { json } = await service.v1('POST', '/track', {
      key: foreign.key,
      body: { collection_id: foreign.collectionId, file_name: 'b.wav' },
    })
    const body = new Blob([sayNumbers([[200]])])
    expect((await service.fetchEdge(json.track_upload.upload_url, { method: 'PUT', body })).status).toBe(200)
    await service.runJobs()
    return json.track_id
  }

  test('a long recording makes room after ten minutes, for one that waits, and goes on after it', async () => {
    const other = await makeForeignTrack()
    // Of two turns, as the other one: the one that returns is behind it.
    await sql(service, 'UPDATE track SET duration_seconds = 599 WHERE id = $1', [other])
    const id = await prepareLong()
    recognizer.control.answer = async (sound, count) => {
      if (count === 1) {
        service.clock.now = new Date(Date.now() + 11 * 60_000)
        await data(service, TRANSCRIBE, { id: other }, foreign.key)
      }
      return answerAsOpenAi(sound)
    }
    const { job } = await transcribe(id).finally(() => {
      service.clock.now = null
    })
    expect(job).toMatchObject({ state: 'done', attempts: 2, failures: 0, crashes: 0 })
    // Making room is no fault that alerts an operator.
    const { values } = await service.services.metrics.jobs.get()
    const outcomes = values.filter(({ labels }) => labels.task === 'transcribe_track' && labels.outcome === 'requeued')
    expect(outcomes.map(({ value }) => value)).toEqual([1])
    expect(recognizer.all.map(({ segments }) => segments[0]?.text.split(' ')[0])).toEqual([
      'w0',
      'w200',
      expect.any(String),
    ])
    expect(textsOf((await readTrack(id)).transcription)).toHaveLength(150)
  }, 60_000)

  test('one that no other waits for keeps its turn', async () => {
    const id = await prepareLong()
    recognizer.control.answer = async (sound) => {
      service.clock.now = new Date(Date.now() + 11 * 60_000)
      return answerAsOpenAi(sound)
    }
    const { job } = await transcribe(id).finally(() => {
      service.clock.now = null
    })
    expect(job).toMatchObject({ state: 'done', attempts: 1 })
  }, 60_000)

  test('and of one: an upload waits for no transcription, and takes no slot from it', async () => {
    const id = await record()
    await sql(service, 'UPDATE track SET duration_seconds = 3000 WHERE id = $1', [id])
    const { id: jobId } = await order(id)
    await sql(service, "UPDATE job SET state = 'running', started_at = now() WHERE id = $1", [jobId])
    const upload = await uploadTrack(service, sayNumbers(greeting))
    const [entry] = await readEntries(service.services.pool, { task: 'process_track' })
    expect(entry?.priority).toBe(0)
    await sql(service, "INSERT INTO worker_pool (id, slots) VALUES ('a', 1)")
    expect(await findCrowding(service.services.direct)).toEqual([])
    await sql(service, 'DELETE FROM worker_pool')
    await service.runJobs()
    expect((await readTrack(upload)).status).toBe('READY')
  }, 30_000)
})

describe('an organization that transcribes uploads', () => {
  const setSwitch = (transcribesUploads: boolean) =>
    data(
      service,
      'mutation ($id: ID!, $input: UpdateOrganizationInput!) { updateOrganization(id: $id, input: $input) { organization { transcribesUploads } } }',
      { id: service.demo.organization_id, input: { transcribesUploads } },
      owner,
    )
  beforeAll(async () => void (await setSwitch(true)))
  afterAll(async () => void (await setSwitch(false)))

  test('has each new recording transcribed', async () => {
    const id = await record()
    expect((await readTrack(id)).transcription).toContain('w1 w2 w3')
    expect(recognizer.all).toHaveLength(1)
  }, 30_000)

  test('but not one with a transcription', async () => {
    const id = await uploadTrack(service, sayNumbers(greeting))
    await setText(id, 'By a person')
    await service.runJobs()
    expect(recognizer.all).toEqual([])
    expect((await readTrack(id)).transcription).toBe('By a person')
  }, 30_000)

  test('beyond its hours has a failed job with an event', async () => {
    await sql(
      service,
      "INSERT INTO transcription_month VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC'), 3600)",
      [service.demo.organization_id],
    )
    const id = await record()
    const { jobs } = await readTrack(id)
    expect(jobs.nodes).toEqual([expect.objectContaining({ state: 'FAILED', error: 'transcription_limit' })])
    expect(await readEvents(id)).toEqual([
      expect.objectContaining({ status_code: 'transcription_limit', job_id: jobs.nodes[0].id }),
    ])
  }, 30_000)
})

describe('a new recording of a track', () => {
  const replace = (id: string, bytes: Uint8Array<ArrayBuffer>) => replacing(service).replace(id, bytes)

  test('is transcribed again if the text of the former one was made', async () => {
    const id = await record()
    await transcribe(id)
    await replace(id, sayNumbers([[7, 8]]))
    const { transcription } = await readTrack(id)
    expect(textsOf(transcription)).toEqual(['w7 w8'])
  }, 30_000)

  test('keeps a text that a client has set, and none', async () => {
    const [edited, untouched] = [await record(), await record()]
    await setText(edited, 'By a person')
    for (const id of [edited, untouched]) await replace(id, sayNumbers([[7, 8]]))
    expect((await readTrack(edited)).transcription).toBe('By a person')
    expect((await readTrack(untouched)).transcription).toBeNull()
    expect(recognizer.all).toEqual([])
  }, 30_000)

  test('that arrives while the provider works is the one that is transcribed', async () => {
    const id = await record()
    recognizer.control.answer = async (sound, count) => {
      if (count === 1) await service.services.db.track.update({ where: { id }, data: await moveRecording(id) })
      return answerAsOpenAi(sound)
    }
    const { job, track } = await transcribe(id)
    expect(job).toMatchObject({ state: 'done', attempts: 2 })
    expect(textsOf(track.transcription)).toEqual(['w1 w2 w3', 'w4 w5'])
    expect(recognizer.all).toHaveLength(2)
  }, 30_000)
})

/** Copies the recording to another object, as one that replaces it has. @returns the columns to write */
async function moveRecording(id: string) {
  const { sourceKey } = await service.services.db.track.findUniqueOrThrow({ where: { id } })
  const moved = `${sourceKey}.moved`
  await service.services.storage.copy(sourceKey ?? '', moved)
  return { sourceKey: moved }
}

test('usage has the sound that was transcribed, by track', async () => {
  const id = await record()
  await transcribe(id)
  const query = `query { processingUsage(groupBy: [TRACK]) { trackId jobs seconds transcribedSeconds } }`
  const row = (await data(service, query, {}, owner)).processingUsage.find(({ trackId }: Json) => trackId === id)
  expect(row.jobs).toBe(2)
  expect(row.transcribedSeconds).toBeCloseTo(3.8, 1)
}, 30_000)
