import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { createClient, TonearmError, TrackFailedError, type TrackState } from '../client/index.ts'
import type { Config } from '../config.ts'
import { OperatorError } from '../config.ts'
import { readCredentials } from './first-start.ts'

const MAX_WAIT_MS = 30 * 60_000
const BAR_WIDTH = 30

/** Where the demo writes. */
export interface DemoOutput {
  /** Writes a line of the result. */
  print: (line: string) => void
  /** Shows the state of the upload in place of the one before. Absent where the output is not a terminal. */
  showProgress?: (line: string) => void
}

export const DEMO_USAGE = 'usage: demo FILE. Uploads a recording to the running service, and prints its stream link.'

/** Runs `bun run demo FILE`: uploads, processes and plays a recording with a running service, over HTTP only. */
export async function demo(config: Config, args: readonly string[], output: DemoOutput): Promise<void> {
  const [path, ...others] = args
  if (path === undefined || others.length > 0) throw new OperatorError(DEMO_USAGE)
  const fileStats = await stat(path).catch(() => null)
  if (!fileStats) throw new OperatorError(`${path}: the file does not exist`)
  if (!fileStats.isFile()) throw new OperatorError(`${path}: is not a file; name one recording`)
  const file = Bun.file(path)
  const credentials = await readCredentials(config.dataDir)
  if (!credentials) {
    throw new OperatorError(
      `DATA_DIR: ${config.dataDir} has no demo credentials, which a start writes when it creates the demo organization; set DATA_DIR if another folder has them`,
    )
  }
  const { base_url: baseUrl, api_key: apiKey, share_key: shareKey, collection_id: collectionId } = credentials
  const tonearm = createClient({ baseUrl, apiKey })
  try {
    const began = performance.now()
    const { trackId } = await tonearm.upload(file, {
      collectionId,
      track: { file_name: basename(path) },
      onProgress: (sent, total) => output.showProgress?.(`upload     ${bar(sent / total)}`),
    })
    output.print(`upload     ${file.size} bytes in ${seconds(began)}`)
    const { track, files } = await tonearm.waitForTrack(trackId, {
      onChange: (state) => output.print(`state      ${state.track.track_status_id}`),
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    })
    for (const line of files.map(describe)) output.print(line)
    output.print(`processed  ${seconds(began)} after the upload began, ${track.duration} s of sound`)

    const link = tonearm.streamUrl(trackId, shareKey)
    output.print(`link       ${link}`)
    const sound = await fetch(link)
    const { byteLength } = await sound.arrayBuffer()
    output.print(`sound      ${sound.status}, ${byteLength} bytes of ${sound.headers.get('content-type')}`)
  } catch (error) {
    throw explain(error, baseUrl)
  }
}

const bar = (share: number) =>
  `${'#'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '.')} ${Math.floor(share * 100)} %`

const describe = ({ variant, is_success, size, content_type }: TrackState['files'][number]) =>
  `  ${variant.index.padEnd(9)}${is_success ? `${size} bytes of ${content_type}` : 'failed'}`

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** An error that says what its reader can do. */
function explain(error: unknown, baseUrl: string): OperatorError {
  if (error instanceof TonearmError) return new OperatorError(`${error.status} ${error.code}: ${error.message}`)
  if (error instanceof TrackFailedError)
    return new OperatorError(`the track is ${error.state.track.track_status_id}: ${error.message}`)
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new OperatorError('the track was not processed in time; check that a worker is running')
  return new OperatorError(`${baseUrl} or its edge does not answer; check that the service is running`)
}
