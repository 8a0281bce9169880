import '../styles.ts'
import './components.css'
import { createRoot } from 'react-dom/client'
import { ComponentsPage } from './page.tsx'

const root = document.getElementById('root')
if (root) createRoot(root).render(<ComponentsPage />)
