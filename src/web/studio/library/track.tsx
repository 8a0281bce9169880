import { useEffect, useRef, useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { Link, useParams } from 'wouter'
import { formatClock, formatDate, type TextName, t } from '../../strings.ts'
import { LatestActivities } from '../activity/latest.tsx'
import { useData, useFollow } from '../api.ts'
import {
  RecordingsDocument,
  type RecordingsQuery,
  type TrackDetailFragment as Track,
  TrackChangeDocument,
  TrackDocument,
} from '../generated/operations.ts'
import { Answered } from '../ui/answer.tsx'
import { Cover } from '../ui/cover.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { Status } from '../ui/track-status.tsx'
import { RecordFacts, RecordingFacts } from './facts.tsx'
import { Files } from './files.tsx'
import { Jobs } from './jobs.tsx'
import { findMusicColor, setMusicColor } from './music-color.ts'
import { PlayAll } from './play-list.tsx'
import { playable } from './playable.ts'
import { Problem } from './problem.tsx'
import { Quality } from './quality.tsx'
import { Recording } from './recording.tsx'
import { TrackActions } from './track-actions.tsx'
import { ListenTab } from './track-listen.tsx'
import { TrackWave } from './track-wave.tsx'

/** Tabs of a track, and the ends of their addresses. */
const tabs = { listen: '', details: '/details', files: '/files', activity: '/activity' } as const
type TabName = keyof typeof tabs
const isTab = (name: string): name is TabName => name in tabs
const tabNames = Object.keys(tabs).filter(isTab)
const tabTexts: Record<TabName, TextName> = {
  listen: 'library.listen',
  details: 'library.details',
  files: 'library.files',
  activity: 'library.activity',
}
const list = { path: '/tracks', name: 'studio.tracks' } as const

/** A track: its sound, its state, and everything that a person edits. */
export default function TrackPage() {
  const { id = '', tab = 'listen' } = useParams()
  const answer = useData(TrackDocument, { id })
  if (!isTab(tab)) return <PageHeading text={t('studio.notFound')} />
  return (
    <Answered of={answer} list={list}>
      {({ track }) =>
        track && <Content key={track.id} track={track} tab={tab} reload={async () => void (await answer.refetch())} />
      }
    </Answered>
  )
}

interface Props {
  track: Track
  tab: TabName
  /** Reads the track again. */
  reload: () => Promise<void>
}

function Content({ track, tab, reload }: Props) {
  const answer = useData(RecordingsDocument, { id: track.id })
  const recordings = answer.data?.track ?? null
  const progress = useProgress(track, reload, answer.refetch)
  useReloadAfterSwitch(recordings, reload)
  const toPath = (name: TabName) => `/track/${track.id}${tabs[name]}`
  return (
    <article className="track" style={setMusicColor(findMusicColor(track))}>
      <Head track={track} progress={progress} />
      <Problem track={track} />
      <TrackWave track={track} />
      <Tabs selectedKey={tab}>
        <TabList aria-label={t('library.trackParts')} className="tab-list">
          {tabNames.map((name) => (
            <Tab key={name} id={name} href={toPath(name)}>
              {t(tabTexts[name])}
            </Tab>
          ))}
        </TabList>
        <TabPanel id="listen">
          <ListenTab track={track} detailsPath={toPath('details')} reload={reload} />
        </TabPanel>
        <TabPanel id="details">
          <RecordingFacts track={track} />
          <Quality report={track.qualityReport} />
          <RecordFacts track={track} />
        </TabPanel>
        <TabPanel id="files">
          <Files track={track} />
          <Recording track={track} recordings={recordings} />
        </TabPanel>
        <TabPanel id="activity">
          <Jobs jobs={track.jobs.edges.map(({ node }) => node)} />
          <LatestActivities recordId={track.id} />
          <p className="quiet">{t('library.created', { at: formatDate(track.createdAt) })}</p>
        </TabPanel>
      </Tabs>
    </article>
  )
}

function Head({ track, progress }: { track: Track; progress: number }) {
  const { artist, collection, coverImage, duration, status, title } = track
  const facts = [duration !== null && formatClock(duration), formatDate(track.createdAt, false)]
  return (
    <header className="record-head">
      <Cover
        url={coverImage?.regular.url}
        title={title}
        color={track.effectivePlayerColor}
        levels={track.levels?.levels}
      />
      <div>
        {collection && <Link href={`/collection/${collection.id}`}>{collection.title}</Link>}
        <PageHeading text={title} />
        {artist && <p className="artist">{artist}</p>}
        <p className="quiet">{facts.filter(Boolean).join(' · ')}</p>
        {status !== 'READY' && (
          <Status status={status} progressPercent={track.progressPercent === null ? null : progress} />
        )}
        <div className="toolbar">
          {playable(track).length > 0 && <PlayAll nodes={[track]} />}
          <TrackActions track={track} />
        </div>
      </div>
    </header>
  )
}

/**
 * Reads the track again when its state changes.
 * @param onRecording called when another recording of the track may have changed
 * @returns the progress of the current run in percent
 */
function useProgress(
  { id, status, progressPercent }: Track,
  reload: () => unknown,
  onRecording: () => unknown,
): number {
  const [progress, setProgress] = useState(progressPercent ?? 0)
  const last = useRef(status)
  useFollow(TrackChangeDocument, { id }, ({ trackChanged }) => {
    setProgress(trackChanged.progressPercent)
    if (trackChanged.isFinal) void onRecording()
    if (trackChanged.status === last.current) return
    last.current = trackChanged.status
    void reload()
  })
  return progress
}

/** Reads the track again when it has another recording. */
function useReloadAfterSwitch(recordings: RecordingsQuery['track'], reload: () => unknown) {
  const latest = recordings ? (recordings.formerRecordings[0]?.replacedAt ?? '') : null
  const before = useRef(latest)
  useEffect(() => {
    if (before.current !== null && before.current !== latest) void reload()
    before.current = latest
  }, [latest, reload])
}
