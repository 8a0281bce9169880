import './trusted-types.ts'
import '../session/session.css'
import './studio.css'
import './link/link.css'
import './webhook/webhook.css'
import './library/library.css'
import './library/covers.css'
import './library/playback.css'
import './library/album.css'
import './library/track.css'
import './library/edit-row.css'
import './library/selected/selected.css'
import './organization/organization.css'
import './deleted/deleted.css'
import './variant/variant.css'
import 'uplot/dist/uPlot.min.css'
import './usage/usage.css'
import './account/account.css'
import './overview/overview.css'
import './palette/palette.css'
import './administrator/administrator.css'
import '../upload/upload.css'
import './upload/panel.css'
import { createRoot } from 'react-dom/client'
import { finishIssuerSignIn } from '../session/issuer.ts'
import { createSession, thisBrowser } from '../session/session.ts'
import { StudioApp } from './app.tsx'

const root = document.getElementById('root')
if (root) {
  const session = createSession(thisBrowser())
  finishIssuerSignIn(session, window).then(() => createRoot(root).render(<StudioApp session={session} />))
}
