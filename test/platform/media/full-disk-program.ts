// Encodes the recording of its first argument into the folder of its second, and prints what is thrown.
import { encodeAll } from '../../../src/platform/media/encode.ts'
import { findTools } from '../../../src/platform/media/ffmpeg/tools.ts'
import { probe } from '../../../src/platform/media/probe.ts'

const [file = '', folder = ''] = process.argv.slice(2)
const tools = await findTools({})
const recording = { file, probe: await probe(tools, file), folder }
const clip = { filters: [], effort: 1, bytesPerSecond: 1000, channels: 1, clip: null }
const mp3 = { ...clip, fileName: 'made.mp3', args: ['-c:a', 'libmp3lame', '-b:a', '8k'], codec: 'mp3' }
console.log(
  await encodeAll(tools, recording, [mp3]).then(
    ({ failures }) => (failures.size > 0 ? 'failures' : 'made'),
    (error) => `${error.name} ${error.code}`,
  ),
)
