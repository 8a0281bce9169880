import { beforeAll, describe, expect, test } from 'bun:test'
import { createCollection } from '../../spec/support.ts'
import { post } from '../../support/administrators.ts'
import { interleaving, runs } from '../../support/interleaving.ts'
import { runTask } from '../../support/jobs.ts'
import { rebuildAs } from '../../support/rebuild.ts'
import { useTestService } from '../../support/service.ts'
import { moments } from '../../support/steps.ts'

const service = useTestService()
let track: Awaited<ReturnType<typeof interleaving>>
beforeAll(async () => {
  track = await interleaving(service)
}, 60_000)

/** Deletions and restorations: within a moment, from one to the next, and until after the end of the run. */
const spans = moments.flatMap((from, i) =>
  [...new Set([from, moments[i + 1] ?? from, 'end'])].map((to, j) => ({
    from,
    to,
    what: (i + j) % 2 ? ('collection' as const) : ('track' as const),
  })),
)
/** Other runs publish at their end only, so that less can happen between two moments. */
const spansOf = (name: string) =>
  name === 'process_track' ? spans : spans.filter(({ from, to }) => to === from || to === 'end')

describe.each(runs)('a run of %s, whose track is deleted and restored', (name) => {
  test.each(spansOf(name))(
    'ends as if it had not been: from $from to $to, the $what',
    async ({ from, to, what }) => {
      const subject = await track.prepare(name)
      await track.run(name, subject, [
        { moment: from, act: () => track.remove(subject, what) },
        { moment: to, act: () => track.restore(subject, what) },
      ])
      await track.expectReady(subject)
      await track.expectNoJobs(subject.id)
    },
    60_000,
  )
})

describe.each(moments)('at the moment %s of a first run', (moment) => {
  test('a rebuild is refused, or follows the run', async () => {
    const subject = await track.prepare('process_track')
    const codes: unknown[] = []
    const act = async () => {
      codes.push((await rebuildAs(service).tryRebuild(subject.id)).json.errors?.[0].extensions.code ?? null)
    }
    await track.run('process_track', subject, [{ moment, act }])
    expect(codes).toEqual([moment === 'end' ? null : 'track_processing'])
    const twice = { 'track_file.created': 4, 'track.status_changed': 2 }
    await track.expectReady(moment === 'end' ? { ...subject, events: twice } : subject)
    await track.expectNoJobs(subject.id)
  }, 60_000)

  test('a variant that is applied gets its file, also of a track that is deleted at the next and restored', async () => {
    const subject = await track.prepare('process_track')
    const next = moments[moments.indexOf(moment) + 1] ?? moment
    const files = [...subject.files]
    await track.run('process_track', subject, [
      { moment, act: async () => void files.push(await track.apply(subject)) },
      { moment: next, act: () => track.remove(subject, 'track') },
      { moment: 'end', act: () => track.restore(subject, 'track') },
    ])
    // The first run makes the file as well if it plans its files afterwards.
    const isPlanned = moments.indexOf(moment) <= moments.indexOf('plan')
    const events = { 'track_file.created': 3, 'track.status_changed': isPlanned ? 1 : 2 }
    await track.expectReady({ ...subject, files, events })
    await track.expectNoJobs(subject.id)
  }, 60_000)

  test('a move to another collection keeps its files', async () => {
    const subject = await track.prepare('process_track')
    const { id: collectionId } = await createCollection(service)
    const move = `mutation ($id: ID!, $input: MoveTrackInput!) { moveTrack(id: $id, input: $input) { track { id } } }`
    const act = async () => {
      const { json } = await post(
        service,
        move,
        { id: subject.id, input: { collectionId } },
        { key: service.demo.api_key },
      )
      expect(json.errors).toBeUndefined()
    }
    await track.run('process_track', subject, [{ moment, act }])
    await track.expectReady(subject)
    await track.expectNoJobs(subject.id)
    const row = await service.services.db.track.findUniqueOrThrow({ where: { id: subject.id } })
    expect(row.collectionId).toBe(collectionId)
  }, 60_000)

  test('a purge ends it, and leaves no bytes', async () => {
    const subject = await track.prepare('process_track')
    const { db, config } = service.services
    const keepingNothing = { ...service.services, config: { ...config, deletedFilesKeptDays: 0 } }
    const act = async () => {
      await track.remove(subject, 'track')
      await runTask(keepingNothing, 'purge_deleted')
    }
    await track.run('process_track', subject, [{ moment, act }])
    expect(await track.studio.restoreTrack(subject.id)).toStartWith('expired: ')
    await track.expectNoJobs(subject.id)
    await db.unusedObject.updateMany({ data: { removeAfter: new Date(0) } })
    await runTask(keepingNothing, 'purge_deleted')
    expect((await service.objects.keys()).filter((key) => key.includes(subject.id))).toEqual([])
  }, 60_000)
})
