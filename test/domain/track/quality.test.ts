import { describe, expect, test } from 'bun:test'
import { type Figures, listFindings } from '../../../src/domain/track/quality/record.ts'
import type { Analysis, Info } from '../../../src/domain/track/recording/record.ts'
import { Prisma } from '../../../src/platform/db/generated/client/client.ts'
import { data } from '../../support/administrators.ts'
import { makeMedia } from '../../support/audio.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'
import { soundTools } from '../../support/tools.ts'

const service = useTestService(undefined, soundTools)

const figures: Figures = {
  phaseCorrelation: 0.6,
  lowestPhaseCorrelation: 0.4,
  lowestPhaseCorrelationAtSeconds: 3,
  monoLossDb: 1,
  balanceDb: 0.5,
  noiseFloorDbfs: -70,
  noiseFloorSeconds: 1,
  longestPauseSeconds: null,
  longestPauseAtSeconds: null,
  cutoffHz: null,
  clippedAtSeconds: [],
}
const analysis: Analysis = {
  integratedLufs: -16,
  loudnessRangeLu: 6,
  truePeakDbtp: -1,
  samplePeakDbfs: -1.5,
  leadingSilenceSeconds: 0.2,
  trailingSilenceSeconds: 1,
  clippedSamples: 0,
  dcOffset: 0.0001,
  tempoBpm: null,
  tempoConfidence: null,
  key: null,
  keyConfidence: null,
} as Analysis
const info = { codec: 'pcm_s24le' } as Info

const readFindings = (of: Partial<Figures> = {}, also: Partial<Analysis> = {}, codec = 'pcm_s24le') =>
  listFindings({ ...figures, ...of }, { ...analysis, ...also }, { ...info, codec })
const codes = (...args: Parameters<typeof readFindings>) => readFindings(...args).map(({ code }) => code)

test('a recording without faults has no findings', () => {
  expect(readFindings()).toEqual([])
  expect(codes({}, {}, 'flac')).toEqual([])
})

describe('limits', () => {
  test.each<[name: string, below: Parameters<typeof readFindings>, at: Parameters<typeof readFindings>]>([
    ['damaged', [{}, { damagedAtSeconds: null }], [{}, { damagedAtSeconds: 12.5 }]],
    ['clipped', [{}, { clippedSamples: 0 }], [{ clippedAtSeconds: [1.5] }, { clippedSamples: 3 }]],
    ['over_full_scale', [{}, { truePeakDbtp: 0 }], [{}, { truePeakDbtp: 0.01 }]],
    ['dc_offset', [{}, { dcOffset: 0.0019 }], [{}, { dcOffset: 0.002 }]],
    ['out_of_phase', [{ phaseCorrelation: 0 }], [{ phaseCorrelation: -0.01 }]],
    ['phase_dip', [{ lowestPhaseCorrelation: -0.49 }], [{ lowestPhaseCorrelation: -0.5 }]],
    ['identical_channels', [{ monoLossDb: 0.02 }], [{ monoLossDb: 0.01 }]],
    ['one_sided', [{ balanceDb: -19.9 }], [{ balanceDb: -20 }]],
    ['leading_silence', [{}, { leadingSilenceSeconds: 2.9 }], [{}, { leadingSilenceSeconds: 3 }]],
    ['pause', [{ longestPauseSeconds: 4.9 }], [{ longestPauseSeconds: 5 }]],
    ['trailing_silence', [{}, { trailingSilenceSeconds: 9.9 }], [{}, { trailingSilenceSeconds: 10 }]],
    ['noise', [{ noiseFloorDbfs: -60.5 }], [{ noiseFloorDbfs: -60 }]],
    ['noise', [{ noiseFloorDbfs: -50, noiseFloorSeconds: 0.9 }], [{ noiseFloorDbfs: -50, noiseFloorSeconds: 1 }]],
    ['noise', [{ noiseFloorDbfs: -35.5 }, { integratedLufs: -16 }], [{ noiseFloorDbfs: -36 }, { integratedLufs: -16 }]],
    ['noise', [{ noiseFloorDbfs: -34.5 }, { integratedLufs: -10 }], [{ noiseFloorDbfs: -35 }, { integratedLufs: -10 }]],
    ['lossy', [{}, {}, 'alac'], [{}, {}, 'mp3']],
    ['cut_off', [{ cutoffHz: null }], [{ cutoffHz: 16_000 }]],
  ])('%s', (code, below, at) => {
    expect(codes(...below)).toEqual([])
    expect(codes(...at)).toEqual([code as never])
  })
})

test('clipping below full scale names the peak', () => {
  const [clippingFinding] = listFindings(
    { ...figures, clippedAtSeconds: [1.5] },
    { ...analysis, samplePeakDbfs: -3.1 },
    info,
  )
  expect(clippingFinding).toMatchObject({ code: 'clipped', severity: 'warning', value: null, atSeconds: 1.5 })
  expect(clippingFinding?.text).toContain('flat at -3.1 dBFS')
})

test('warnings come first; a lossy file is expected to be cut off, a clipped one to exceed full scale', () => {
  const { clippedSamples, truePeakDbtp } = { clippedSamples: 9, truePeakDbtp: 1.2 }
  const many = readFindings(
    { longestPauseSeconds: 6, longestPauseAtSeconds: 2, cutoffHz: 15_000 },
    { clippedSamples, truePeakDbtp },
  )
  expect(many.map(({ code, severity }) => [code, severity])).toEqual([
    ['clipped', 'warning'],
    ['cut_off', 'warning'],
    ['pause', 'notice'],
  ])
  expect(codes({ cutoffHz: 15_000 }, {}, 'mp3')).toEqual(['lossy'])
  expect(listFindings({ ...figures, cutoffHz: 15_000 }, analysis, null)).toHaveLength(1)
})

test('silence raises no question about its silence', () => {
  const silent = { samplePeakDbfs: null, leadingSilenceSeconds: 60, integratedLufs: null, truePeakDbtp: null }
  const unknown = { phaseCorrelation: null, monoLossDb: null, balanceDb: null, lowestPhaseCorrelation: null }
  expect(codes({ ...unknown, noiseFloorDbfs: null, noiseFloorSeconds: null }, silent)).toEqual([])
})

test('is measured with a recording, shown with places, and null before', async () => {
  const fields = `qualityReport { findings { code severity text value atSeconds } phaseCorrelation balanceDb noiseFloorDbfs
    longestPauseSeconds cutoffHz clippedAtSeconds }`
  const read = async (id: string) =>
    (await data(service, `query ($id: ID!) { track(id: $id) { ${fields} } }`, { id }, service.demo.api_key)).track
  const clipped = "aevalsrc='if(lt(t,1),0.1,2)*sin(2*PI*441*t)|if(lt(t,1),-0.1,-2)*sin(2*PI*441*t)':d=2:s=44100"
  const file = await makeMedia(['-f', 'lavfi', '-i', clipped, '-c:a', 'pcm_s16le'], 'wav')
  const { id } = await processed(service, file, 'hot.wav')
  const { qualityReport: report } = await read(id)
  expect(report).toMatchObject({ phaseCorrelation: -1, balanceDb: 0, longestPauseSeconds: null, cutoffHz: null })
  expect(report.clippedAtSeconds).toEqual([expect.closeTo(1, 2)])
  expect(report.findings).toMatchObject([
    { code: 'CLIPPED', severity: 'WARNING', atSeconds: report.clippedAtSeconds[0] },
    { code: 'OUT_OF_PHASE', severity: 'WARNING', value: -1, atSeconds: null },
  ])
  // A track without these measurements.
  const { track } = service.services.db
  await track.update({ where: { id }, data: { quality: Prisma.DbNull } })
  expect((await read(id)).qualityReport).toBeNull()
})
