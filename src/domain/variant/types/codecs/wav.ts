import { lossless } from './codec.ts'

export const wav = lossless({
  description: 'PCM in a WAV container, RF64 from 4 GiB on. For organization-wide transcodes only.',
  extension: 'wav',
  contentType: 'audio/wav',
  codecName: 'pcm_s16le',
  codecNameOf: (bitDepth) => (bitDepth === 16 ? 'pcm_s16le' : 'pcm_s24le'),
  encoder: { 16: ['pcm_s16le'], 24: ['pcm_s24le'] },
  effort: 0.5,
  // Reserves room for 64-bit sizes (EBU Tech 3306).
  container: ['-rf64', 'auto', '-f', 'wav'],
})
