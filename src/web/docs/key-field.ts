/** Kept until the tab is closed. */
const KEPT = 'reference-key'

/** Answers of /v1 that name IDs of an organization. */
interface Found {
  creators?: { id: string }[]
  variants?: { id: string }[]
  collections?: { id: string; organization_id: string }[]
  tracks?: { id: string }[]
}

/**
 * Adds a field for a key, and fills the examples with the key and IDs of its organization.
 * @returns reads the key
 */
export function addKeyField(): () => string {
  fill('base', location.origin)
  const form = document.createElement('form')
  form.className = 'key'
  const label = document.createElement('label')
  label.textContent = 'Your key'
  const field = document.createElement('input')
  field.type = 'password'
  field.autocomplete = 'off'
  field.placeholder = 'fills the examples'
  field.value = sessionStorage.getItem(KEPT) ?? ''
  label.append(field)
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  form.append(label, status)
  const apply = async () => {
    const key = field.value.trim()
    sessionStorage.setItem(KEPT, key)
    fill('key', key)
    status.textContent = key ? 'Reading IDs …' : ''
    if (!key) return
    const message = await fillIds(key)
    if (field.value.trim() === key) status.textContent = message
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    apply()
  })
  field.addEventListener('change', apply)
  document.querySelector('.menu .elsewhere')?.after(form)
  if (field.value) apply()
  return () => field.value.trim()
}

/** Writes a value into the examples; their stand-in for an empty one. */
function fill(name: string, value: string): void {
  for (const part of document.querySelectorAll<HTMLElement>(`[data-fill="${name}"]`)) {
    part.dataset.standIn ??= part.textContent ?? ''
    part.textContent = value || part.dataset.standIn
  }
}

/** Reads the first record of each kind. A key of a narrow scope sees some of them. */
async function fillIds(key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` }
  const read = async (path: string): Promise<Found> => {
    const answer = await fetch(`${path}?limit=1`, { headers })
    if (answer.status === 401) throw new Error('The key is not valid.')
    return answer.ok ? answer.json() : {}
  }
  try {
    const [creators, variants, collections] = await Promise.all(
      ['creator', 'variant', 'collection'].map((kind) => read(`/v1/${kind}`)),
    )
    const collection = collections?.collections?.[0]
    fill('creator_id', creators?.creators?.[0]?.id ?? '')
    fill('variant_id', variants?.variants?.[0]?.id ?? '')
    fill('collection_id', collection?.id ?? '')
    fill('organization_id', collection?.organization_id ?? '')
    const list = collection ? await read(`/v1/collection/${collection.id}/track`) : {}
    fill('track_id', list.tracks?.[0]?.id ?? '')
    return 'The examples have this key and IDs of its organization.'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
