// Imported first: react-aria empties an element by assigning an empty text as HTML. Any other text is refused.
window.trustedTypes?.createPolicy('default', {
  createHTML: (html) => {
    if (html !== '') throw new TypeError('HTML from text is not allowed')
    return html
  },
})
