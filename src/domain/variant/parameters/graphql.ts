import type { builder } from '../../../platform/graphql/builder.ts'

type InputFields = PothosSchemaTypes.InputFieldBuilder<typeof builder.$inferSchemaTypes, 'InputObject'>

/** Parameters of a transcode and of a preview, as inputs take them. */
export const soundParameters = (t: InputFields) => ({
  codec: t.string({ description: '`aac` (default), `mp3`, `ogg`, `opus`.' }),
  bitrate: t.float({ description: 'kbps, 12-320; 128 unless told.' }),
  isStereo: t.boolean({ description: 'False mixes down to mono.' }),
  isStripTags: t.boolean({ description: 'Whether the tags of the recording are left out; true unless told.' }),
  isStripCover: t.boolean({ description: 'Whether an embedded cover is left out; true unless told.' }),
  normalize: t.float({
    description: 'Integrated loudness in LUFS that the file is to have, -40 to -5; as loud as it came unless told.',
  }),
  previewType: t.string({ description: '`seconds` (default) or `percent`: how the length is measured.' }),
  previewSeconds: t.float({ description: '60 unless told.' }),
  previewMinPercent: t.float({ description: '0-100; 0 unless told.' }),
  previewMaxPercent: t.float({ description: '0-100; 50 unless told.' }),
  previewPercent: t.float({ description: '0-100; 25 unless told.' }),
  previewMinSeconds: t.float({ description: '0 unless told.' }),
  previewMaxSeconds: t.float({ description: '90 unless told.' }),
  previewStartPercent: t.float({ description: '0-100; 25 unless told.' }),
})

/** Parameters of every kind of variant, as inputs take them. */
export const allParameters = (t: InputFields) => ({
  ...soundParameters(t),
  bitrate: t.float({ description: 'kbps, 12-320, of a waveform video 32-320; 128 unless told.' }),
  numSamples: t.int({ description: 'Levels: how many loudness values, 1-10,000; 320 unless told.' }),
  samplesPerPixel: t.int({
    description: 'Levels: samples for each pair of the waveform, 64-65,536; 256 unless told.',
  }),
  bits: t.int({ description: 'Levels: resolution of the waveform, 8 (default) or 16.' }),
  width: t.int({
    description: 'Pixels: of a waveform image 16-4096, 1800 unless told; of a video 128-1920, even, 1280 unless told.',
  }),
  height: t.int({
    description: 'Pixels: of a waveform image 16-2048, 280 unless told; of a video 128-1080, even, 720 unless told.',
  }),
  fps: t.int({ description: 'Waveform video: frames per second, 1-30; 10 unless told.' }),
  barWidth: t.int({ description: 'Waveforms: pixels, 1-64; 4 unless told.' }),
  barGap: t.int({ description: 'Waveforms: pixels between two bars, 0-64; 2 unless told.' }),
  isRounded: t.boolean({ description: 'Waveforms: whether bars have round ends; true unless told.' }),
  color: t.string({
    description: 'Waveforms: of the bars, as `#rrggbb`; null, the default, takes the effective colour of the track.',
  }),
  backgroundColor: t.string({
    description: 'Waveforms: as `#rrggbb`; unless told transparent for an image, `#000000` for a video.',
  }),
})
