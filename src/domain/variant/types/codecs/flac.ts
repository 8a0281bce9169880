import { lossless } from './codec.ts'

export const flac = lossless({
  description: 'FLAC. Lossless. For organization-wide transcodes only.',
  extension: 'flac',
  contentType: 'audio/flac',
  codecName: 'flac',
  encoder: { 16: ['flac', '-sample_fmt', 's16'], 24: ['flac', '-sample_fmt', 's32'] },
  effort: 2,
  container: ['-f', 'flac'],
})
