import { lossless } from './codec.ts'

export const alac = lossless({
  description: 'Apple Lossless in an MP4 container (`.m4a`). For organization-wide transcodes only.',
  extension: 'm4a',
  contentType: 'audio/mp4',
  codecName: 'alac',
  encoder: { 16: ['alac', '-sample_fmt', 's16p'], 24: ['alac', '-sample_fmt', 's32p'] },
  effort: 2,
  container: ['-movflags', '+faststart', '-f', 'ipod'],
})
