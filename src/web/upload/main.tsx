import './page.css'
import './upload.css'
import { createRoot } from 'react-dom/client'
import { type PageData, UploadApp } from './app.tsx'
import { createMemory, rememberQueue } from './memory.ts'
import { createQueue } from './queue.ts'
import { createService } from './service.ts'

const root = document.getElementById('root')
if (root) {
  const data: PageData = JSON.parse(document.getElementById('data')?.textContent ?? '')
  const service = createService()
  const queue = createQueue(service)
  const memory = createMemory(data.sessionId, service.read)
  rememberQueue(memory, queue)
  createRoot(root).render(<UploadApp data={data} queue={queue} memory={memory} />)
}
