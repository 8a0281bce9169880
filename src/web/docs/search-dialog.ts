import { cutExcerpt, type SearchEntry, searchEntries, splitMatches } from './search.ts'

/**
 * Opens the search by `/`, Ctrl-K or a button. The index is loaded when it is first opened.
 * @param address of the index
 */
export function addSearch(button: HTMLButtonElement, address: string): void {
  const { dialog, field, list, status } = createDialog()
  document.body.append(dialog)
  let entries: SearchEntry[] = []
  let isLoaded = false
  let chosenAt = 0

  const load = async () => {
    isLoaded = true
    try {
      const answer = await fetch(address)
      if (!answer.ok) throw new Error(String(answer.status))
      entries = await answer.json()
      show()
    } catch {
      isLoaded = false
      status.textContent = 'The search cannot be loaded. Check the connection, and open it again.'
    }
  }

  const open = () => {
    if (!isLoaded) load()
    if (!dialog.open) dialog.showModal()
    field.select()
  }

  const choose = (place: number) => {
    const options = [...list.children]
    chosenAt = options.length === 0 ? 0 : (place + options.length) % options.length
    options.forEach((option, at) => {
      option.setAttribute('aria-selected', String(at === chosenAt))
    })
    const option = options[chosenAt]
    if (option) field.setAttribute('aria-activedescendant', option.id)
    else field.removeAttribute('aria-activedescendant')
    option?.scrollIntoView({ block: 'nearest' })
  }

  const show = () => {
    const query = field.value
    const results = searchEntries(entries, query)
    list.replaceChildren(...results.map((entry, at) => createResult(entry, query, at)))
    list.hidden = results.length === 0
    field.setAttribute('aria-expanded', String(results.length > 0))
    status.textContent = describeResults(query, results.length)
    choose(0)
  }

  field.addEventListener('input', show)
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosenAt + 1)
    else if (event.key === 'ArrowUp') choose(chosenAt - 1)
    else if (event.key === 'Enter') list.querySelector<HTMLElement>('[aria-selected="true"]')?.click()
    else return
    event.preventDefault()
  })
  // A click outside of the dialog is one on its backdrop; a result on the same page loads no page that would close it.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || (target instanceof Element && target.closest('a'))) dialog.close()
  })
  document.addEventListener('keydown', (event) => {
    const isSlash = event.key === '/' && !isWriting(event.target)
    const isCommand = event.key === 'k' && (event.ctrlKey || event.metaKey)
    if (!isSlash && !isCommand) return
    event.preventDefault()
    open()
  })
  button.addEventListener('click', open)
  button.hidden = false
}

const isWriting = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

function describeResults(query: string, count: number): string {
  if (query.trim() === '') return 'Type a word: a status code, a setting, an operation.'
  if (count === 0) return 'Nothing has all of these words.'
  return count === 1 ? '1 result' : `${count} results`
}

function createDialog() {
  const dialog = document.createElement('dialog')
  dialog.className = 'search'
  dialog.setAttribute('aria-label', 'Search the documentation')
  const field = document.createElement('input')
  field.type = 'search'
  field.placeholder = 'Search guides and reference'
  field.autocomplete = 'off'
  field.spellcheck = false
  const attributes = {
    role: 'combobox',
    'aria-label': 'Search guides and reference',
    'aria-controls': 'results',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
  }
  for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value)
  const list = document.createElement('div')
  list.id = 'results'
  list.hidden = true
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Results')
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  status.textContent = describeResults('', 0)
  dialog.append(field, list, status)
  return { dialog, field, list, status }
}

function createResult({ page, title, address, text }: SearchEntry, query: string, at: number): HTMLAnchorElement {
  const link = document.createElement('a')
  link.id = `result-${at}`
  link.setAttribute('role', 'option')
  link.href = address
  // The field keeps the focus; the arrow keys choose.
  link.tabIndex = -1
  const path = document.createElement('span')
  path.className = 'path'
  path.textContent = page
  const heading = document.createElement('strong')
  heading.append(...markMatches(title, query))
  const excerpt = document.createElement('span')
  excerpt.className = 'excerpt'
  excerpt.append(...markMatches(cutExcerpt(text, query), query))
  link.append(path, heading, excerpt)
  return link
}

const markMatches = (text: string, query: string) =>
  splitMatches(text, query).map((part, at) => {
    if (at % 2 === 0) return part
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
