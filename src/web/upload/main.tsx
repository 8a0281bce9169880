import './page.css'
import './upload.css'
import { createRoot } from 'react-dom/client'
import { App, type PageData } from './app.tsx'
import { createQueue } from './queue.ts'
import { createService } from './service.ts'

const root = document.getElementById('root')
if (root) {
  const data: PageData = JSON.parse(document.getElementById('data')?.textContent ?? '')
  createRoot(root).render(<App data={data} queue={createQueue(createService())} />)
}
