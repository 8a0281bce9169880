import DOMPurify from 'dompurify'

// Imported before anything that draws: what the page's Content-Security-Policy asks of its scripts is prepared here.

const own = window.trustedTypes?.createPolicy('tonearm', {
  createHTML: (html) => html,
  createScriptURL: () => {
    throw new TypeError('the page starts no programs')
  },
  createScript: () => {
    throw new TypeError('no text becomes a script')
  },
})

// Asked by the browser wherever plain text is about to become HTML, as with the descriptions of operations.
window.trustedTypes?.createPolicy('default', {
  createHTML: (html) => DOMPurify.sanitize(html, { TRUSTED_TYPES_POLICY: own }).toString(),
})
