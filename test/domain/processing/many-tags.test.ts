import { expect, test } from 'bun:test'
import { withTags } from '../../support/many-tags.ts'
import { processed } from '../../support/processed.ts'
import { useTestService } from '../../support/service.ts'
import { soundTools } from '../../support/tools.ts'

const service = useTestService(undefined, soundTools)

test.each(['ID3v2.4', 'FLAC'])(
  'a recording with 250,000 tags in %s is ready, and keeps the first of them',
  async (container) => {
    const bytes = await withTags[container]?.(250_000)
    const { track, files } = await processed(service, new Uint8Array(bytes ?? []), 'a.mp3')
    expect([track.track_status_id, track.info.tags.title]).toEqual(['ready', 'A title'])
    expect(files.original?.size ?? bytes?.length).toBe(bytes?.length)
  },
  60_000,
)
