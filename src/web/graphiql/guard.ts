import DOMPurify from 'dompurify'
import type {} from 'monaco-editor'

// Imported first: prepares what the page's Content-Security-Policy requires of scripts.

/** The editor creates style elements by script, without nonces. */
const nonce = document.querySelector<HTMLElement>('link[nonce]')?.nonce
const createElement = Document.prototype.createElement
Document.prototype.createElement = function (this: Document, ...args: Parameters<typeof createElement>) {
  const element = createElement.apply(this, args)
  if (nonce && element instanceof HTMLStyleElement) element.nonce = nonce
  return element
} as typeof createElement

const workers = new Set(Object.values(BUILD.workers))
const policy = window.trustedTypes?.createPolicy('tonearm', {
  createHTML: (html) => html,
  createScriptURL: (url) => {
    if (!workers.has(url)) throw new TypeError(`unknown worker: ${url}`)
    return url
  },
  createScript: () => {
    throw new TypeError('scripts from text are not allowed')
  },
})

// Called by the browser when text is assigned as HTML, such as descriptions in the docs.
window.trustedTypes?.createPolicy('default', {
  createHTML: (html) => DOMPurify.sanitize(html, { TRUSTED_TYPES_POLICY: policy }).toString(),
})

window.MonacoEnvironment = {
  getWorker(_, label) {
    const url = BUILD.workers[label === 'json' || label === 'graphql' ? label : 'editor']
    return new Worker((policy?.createScriptURL(url) ?? url) as string, { type: 'module', name: label })
  },
}
