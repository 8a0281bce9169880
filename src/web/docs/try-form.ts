/** Fields of an operation, which the build writes next to its text. */
interface FormFields {
  method: string
  path: string
  parameters: { name: string; in: 'path' | 'query' | 'header'; isRequired: boolean }[]
  body?: unknown
}

/** Adds "Try it" to the operations that this origin answers with JSON. */
export function addForms(readKey: () => string): void {
  for (const section of document.querySelectorAll<HTMLElement>('.operation')) {
    const fields: FormFields | null = JSON.parse(section.dataset.operation ?? 'null')
    if (!fields) continue
    const details = document.createElement('details')
    details.className = 'try'
    const summary = document.createElement('summary')
    summary.textContent = 'Try it'
    details.append(summary)
    // Most are never opened.
    details.addEventListener('toggle', () => details.append(createForm(section, fields, readKey)), { once: true })
    section.querySelector('.examples')?.append(details)
  }
}

function createForm(section: HTMLElement, fields: FormFields, readKey: () => string): HTMLFormElement {
  const form = document.createElement('form')
  const inputs = fields.parameters.map((parameter) => {
    const input = document.createElement('input')
    input.required = parameter.isRequired
    const filled = section.querySelector<HTMLElement>(`.fill[data-fill="${parameter.name}"]`)
    if (parameter.in === 'path' && filled?.dataset.standIn && filled.textContent !== filled.dataset.standIn)
      input.value = filled.textContent ?? ''
    form.append(createLabel(parameter.name, input))
    return { ...parameter, input }
  })
  const body = document.createElement('textarea')
  if (fields.body !== undefined) {
    body.rows = 8
    body.value = JSON.stringify(fields.body, null, 2)
    form.append(createLabel('Body', body))
  }
  const button = document.createElement('button')
  button.textContent = `Send ${fields.method}`
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  const answer = document.createElement('pre')
  answer.tabIndex = 0
  answer.hidden = true
  form.append(button, status, answer)

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const request = createRequest(fields, inputs, { key: readKey(), body: body.value })
    button.disabled = true
    const start = performance.now()
    try {
      const response = await fetch(request)
      const text = await response.text()
      status.textContent = `${response.status} in ${Math.round(performance.now() - start)} ms`
      status.className = response.ok ? 'good' : 'wrong'
      answer.textContent = formatJson(text)
      answer.hidden = false
    } catch {
      status.textContent = 'No answer. Check the connection.'
      status.className = 'wrong'
    } finally {
      button.disabled = false
    }
  })
  return form
}

interface FormValues {
  key: string
  body: string
}

/** The request that the form describes. Empty fields are left out. */
function createRequest(
  { method, path, body }: FormFields,
  inputs: (FormFields['parameters'][number] & { input: HTMLInputElement })[],
  values: FormValues,
): Request {
  const url = new URL(path, location.origin)
  const headers = new Headers()
  let { pathname } = url
  for (const { name, in: place, input } of inputs) {
    if (place === 'path') pathname = pathname.replace(`%7B${name}%7D`, encodeURIComponent(input.value))
    else if (input.value && place === 'query') url.searchParams.set(name, input.value)
    else if (input.value) headers.set(name, input.value)
  }
  url.pathname = pathname
  if (values.key) headers.set('authorization', `Bearer ${values.key}`)
  if (body === undefined) return new Request(url, { method, headers })
  headers.set('content-type', 'application/json')
  return new Request(url, { method, headers, body: values.body })
}

function createLabel(name: string, field: HTMLElement): HTMLLabelElement {
  const label = document.createElement('label')
  label.append(name, field)
  return label
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
