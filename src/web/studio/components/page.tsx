// Every component of the studio in its states, for development: `bun .config/components.ts` serves it. Nothing of it is part
// of a released page. Its texts are samples.
import { Pencil, Play, Trash2 } from 'lucide'
import { type ReactNode, useState } from 'react'
import { MenuItem } from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'
import { ApiError } from '../../session/api.ts'
import type { TrackStatus } from '../generated/operations.ts'
import { Wave } from '../library/wave.tsx'
import { Failure, Loading, Refusal } from '../ui/answer.tsx'
import { Button } from '../ui/button.tsx'
import { ColorInput } from '../ui/color.tsx'
import { CopyField } from '../ui/copy-field.tsx'
import { Cover } from '../ui/cover.tsx'
import { Confirm, EditForm } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Check, Checks, Choice, TextInput } from '../ui/field.tsx'
import { MoreActions } from '../ui/more-actions.tsx'
import { Notices, say } from '../ui/notice.tsx'
import { Search } from '../ui/search.tsx'
import { SearchChoice } from '../ui/search-choice.tsx'
import { Section } from '../ui/section.tsx'
import { Status, statuses } from '../ui/track-status.tsx'
import { Sparkline } from '../usage/sparkline.tsx'

const kinds = ['primary', 'plain', 'danger', 'bare', 'music'] as const
const formats = [
  { id: 'aac', text: 'AAC, 128 kbit/s' },
  { id: 'flac', text: 'FLAC' },
]
const levels = Array.from(
  { length: 200 },
  (_, at) => Math.abs(Math.sin(at / 9)) * (0.4 + 0.6 * Math.abs(Math.sin(at / 31))),
)
const listens = [3, 5, 4, 9, 12, 8, 14, 20, 17, 26]
const refusal = new ApiError('invalid_input', 'title: must have at most 200 characters')
const noop = () => {}

/** A component with its name. */
const Sample = ({ name, isWide, children }: { name: string; isWide?: boolean; children: ReactNode }) => (
  <figure className={`specimen ${isWide ? 'wide' : ''}`}>
    {children}
    <figcaption>{name}</figcaption>
  </figure>
)

export function ComponentsPage() {
  const [isConfirming, setConfirming] = useState(false)
  return (
    <main className="components">
      <h1>Components</h1>
      <Section title="Buttons" lead="One solid button on a page; others have an edge or only an icon.">
        <div className="specimens">
          {kinds.map((kind) => (
            <Button key={kind} kind={kind} aria-label={kind}>
              {kind === 'bare' ? <Icon of={Pencil} /> : kind === 'music' ? <Icon of={Play} /> : kind}
            </Button>
          ))}
          <Button isDisabled>disabled</Button>
          <Button kind="primary" isPending>
            pending
          </Button>
          <Button>
            <Icon of={Trash2} /> with an icon
          </Button>
          <MoreActions>
            <MenuItem>Rename</MenuItem>
            <MenuItem>Move</MenuItem>
            <MenuItem className="danger">Delete</MenuItem>
          </MoreActions>
          <Button onPress={() => setConfirming(true)}>Ask</Button>
          <Button onPress={() => say('2 tracks were deleted.', { label: 'Undo', run: noop })}>Say</Button>
        </div>
      </Section>
      <Section title="Fields">
        <div className="specimens">
          <Sample name="text, with a hint">
            <TextInput label="Title" name="title" hint="At most 200 characters." defaultValue="Night train" />
          </Sample>
          <Sample name="several lines">
            <TextInput label="Description" name="description" rows={3} defaultValue="Recorded in one night." />
          </Sample>
          <Sample name="one of a few">
            <Choice label="Format" name="format" choices={formats} defaultValue="aac" />
          </Sample>
          <Sample name="one of many">
            <SearchChoice
              label="Collection"
              name="collection"
              choices={[]}
              onSearch={noop}
              hint="Type a part of its name."
            />
          </Sample>
          <Sample name="any of a few">
            <Checks label="Events" name="events" choices={formats} defaultValue={['flac']} hint="At least one." />
          </Sample>
          <Sample name="yes or no">
            <Check name="explicit" defaultSelected>
              Explicit
            </Check>
          </Sample>
          <Sample name="color">
            <ColorInput label="Color" name="color" defaultValue="#b4471f" />
          </Sample>
          <Sample name="search">
            <Search label="Search tracks" value="train" onSearch={noop} />
          </Sample>
          <Sample name="text to copy">
            <CopyField label="Link" value="https://audio.example.com/s/1" isMain />
          </Sample>
        </div>
      </Section>
      <Section title="Forms">
        <div className="specimens">
          <Sample name="refused, with the field that the service names">
            <EditForm onSubmit={noop} onCancel={noop} isBusy={false} error={refusal}>
              <TextInput label="Title" name="title" defaultValue="Night train" />
            </EditForm>
          </Sample>
          <Sample name="sending, of a removal">
            <EditForm onSubmit={noop} isBusy isDanger error={null} label="Delete">
              <TextInput label="Reason" name="reason" />
            </EditForm>
          </Sample>
        </div>
      </Section>
      <Section title="States">
        <div className="specimens">
          {(Object.keys(statuses) as TrackStatus[]).map((status) => (
            <Status key={status} status={status} progressPercent={status === 'PROCESSING' ? 40 : null} />
          ))}
        </div>
        <div className="specimens">
          <Sample name="loading">
            <Loading />
          </Sample>
          <Sample name="failed, may be repeated">
            <Failure error={new Error('The service did not answer.')} onRetry={noop} />
          </Sample>
          <Sample name="refused">
            <Refusal error={new Error('The recording is damaged.')} />
          </Sample>
          <Sample name="nothing yet" isWide>
            <EmptyState text="No tracks yet.">
              <Button kind="primary">Upload</Button>
            </EmptyState>
          </Sample>
        </div>
      </Section>
      <Section title="Music">
        <div className="specimens">
          <Sample name="without a cover, small">
            <span className="picture">
              <Cover url={undefined} title="Night train" color="#b4471f" />
            </span>
          </Sample>
          <Sample name="without a cover, large">
            <span className="picture">
              <Cover url={undefined} title="Night train" levels={levels} />
            </span>
          </Sample>
          <Sample name="waveform, a third played" isWide>
            <span className="strip">
              <Wave levels={levels} played={1 / 3} />
            </span>
          </Sample>
          <Sample name="listens by day">
            <span className="strip">
              <Sparkline values={listens} />
            </span>
          </Sample>
        </div>
      </Section>
      <Confirm
        title="Delete the track?"
        text="Its links stop working at once. It can be restored for 7 days."
        label="Delete"
        isOpen={isConfirming}
        isBusy={false}
        error={null}
        onConfirm={noop}
        onClose={() => setConfirming(false)}
      />
      <Notices />
    </main>
  )
}
