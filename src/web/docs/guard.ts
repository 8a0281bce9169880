import DOMPurify from 'dompurify'

// Imported first: prepares what the page's Content-Security-Policy requires of scripts.

const policy = window.trustedTypes?.createPolicy('tonearm', {
  createHTML: (html) => html,
  createScriptURL: () => {
    throw new TypeError('scripts from addresses are not allowed')
  },
  createScript: () => {
    throw new TypeError('scripts from text are not allowed')
  },
})

// Called by the browser when text is assigned as HTML, such as descriptions of operations.
window.trustedTypes?.createPolicy('default', {
  createHTML: (html) => DOMPurify.sanitize(html, { TRUSTED_TYPES_POLICY: policy }).toString(),
})
