import { expect, test } from 'bun:test'
import { publish } from '../../../src/domain/processing/pipeline/publish.ts'
import { loadTrack, type Measurements, Run } from '../../../src/domain/processing/run/run.ts'
import type { Probe } from '../../../src/platform/media/probe.ts'
import { createTrack, makeReady } from '../../spec/support.ts'
import { data } from '../../support/administrators.ts'
import { eventsOf } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'

const service = useTestService()

const loud = {
  integrated_lufs: -14.02,
  loudness_range_lu: 6.1,
  true_peak_dbtp: -0.98,
  sample_peak_dbfs: -1.2,
  leading_silence_seconds: 0.25,
  trailing_silence_seconds: 1.5,
  clipped_samples: 3_000_000_000,
  dc_offset: 0.00001,
  tempo_bpm: 120.5,
  tempo_confidence: 0.9,
  key: 'F# minor',
  key_confidence: 0.8,
  damaged_at_seconds: null,
}

/** Finishes a run over a track with these measurements. */
async function measured(trackId: string, analysis: Measurements | null = null): Promise<void> {
  const { db } = service.services
  const of = { organizationId: service.demo.organization_id, trackId }
  const job = await db.job.create({ data: { ...of, kind: 'rebuild_track', state: 'running' } })
  await db.track.update({ where: { id: trackId }, data: { status: 'processing' } })
  const track = await loadTrack(service.services.db, trackId)
  if (!track) throw new Error('no track')
  const run = new Run(
    service.services,
    job,
    track,
    { inputs: '', work: '', reserve: async () => {} },
    new AbortController().signal,
  )
  run.probe = { lacksEnd: false, announcedSeconds: null, containedShare: 1, isCut: false } as Probe
  run.decoded = { durationSeconds: 2.5, rawFile: '', analysis, quality: null, errors: '' }
  run.analysis = analysis
  await publish(run)
}

const read = async (id: string, fields: string) =>
  (await data(service, `query ($id: ID!) { track(id: $id) { ${fields} } }`, { id }, service.demo.api_key)).track

test('shows measurements in both interfaces and in events; a run without measurements keeps them', async () => {
  const { id, analysis } = await createTrack(service)
  expect([analysis, await read(id, 'analysis { integratedLufs }')]).toEqual([null, { analysis: null }])
  await makeReady(service, id)
  await measured(id)
  expect((await service.v1('GET', `/track/${id}`)).json.track).toMatchObject({ analysis: null, duration: 2.5 })
  await measured(id, loud)
  await measured(id)
  expect((await service.v1('GET', `/track/${id}`)).json.track.analysis).toEqual(loud)
  const names = `integratedLufs loudnessRangeLu truePeakDbtp samplePeakDbfs leadingSilenceSeconds trailingSilenceSeconds
    clippedSamples dcOffset tempoBpm tempoConfidence key keyConfidence damagedAtSeconds`
  const values = (await read(id, `analysis { ${names} }`)).analysis
  expect(names.split(/\s+/).map((name) => values[name])).toEqual(Object.values(loud))
  expect((await eventsOf(service, id)).at(-1)?.data.track.analysis).toEqual(loud)
  // Some values of silence cannot be measured.
  const silent = { ...loud, integrated_lufs: null, true_peak_dbtp: null, key: null, tempo_bpm: null }
  await measured(id, silent)
  expect((await read(id, 'analysis { integratedLufs key }')).analysis).toEqual({ integratedLufs: null, key: null })
})
