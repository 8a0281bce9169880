import DOMPurify from 'dompurify'

// Trusted Types policies of the page. Imported first: Swagger UI writes HTML as soon as it loads.

const own = window.trustedTypes?.createPolicy('tonearm', {
  createHTML: (html) => html,
  createScriptURL: () => {
    throw new TypeError('This page loads no scripts at run time.')
  },
  createScript: () => {
    throw new TypeError('This page evaluates no text as a script.')
  },
})

// The browser applies the default policy where text becomes HTML, as with descriptions of operations.
window.trustedTypes?.createPolicy('default', {
  createHTML: (html) => DOMPurify.sanitize(html, { TRUSTED_TYPES_POLICY: own }).toString(),
})
