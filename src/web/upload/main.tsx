import './page.css'
import './upload.css'
import { createRoot } from 'react-dom/client'
import { type PageData, UploadApp } from './app.tsx'
import { createQueue } from './queue.ts'
import { createService } from './service.ts'

const root = document.getElementById('root')
if (root) {
  const data: PageData = JSON.parse(document.getElementById('data')?.textContent ?? '')
  createRoot(root).render(<UploadApp data={data} queue={createQueue(createService())} />)
}
