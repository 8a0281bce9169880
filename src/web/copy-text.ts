/**
 * Copies a text, also on pages that are not a secure context, such as `http://192.168.…`. Call it while a click is handled.
 * @param text a promise for a text that has to be read or created first
 * @returns whether it was copied
 * @throws what the promise throws
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    const isCopied = await writeToClipboard(text).then(
      () => true,
      () => false,
    )
    if (isCopied) return true
  }
  return copyByEvent(await text)
}

/** Safari takes a text that is not there yet only as a promise. */
function writeToClipboard(text: string | Promise<string>): Promise<void> {
  if (typeof text === 'string') return navigator.clipboard.writeText(text)
  const blob = text.then((content) => new Blob([content], { type: 'text/plain' }))
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
}

/** Copies without the permission and the secure context that `navigator.clipboard` needs. */
function copyByEvent(text: string): boolean {
  let isCopied = false
  const write = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
    isCopied = true
  }
  document.addEventListener('copy', write, { capture: true })
  try {
    return document.execCommand('copy') && isCopied
  } finally {
    document.removeEventListener('copy', write, { capture: true })
  }
}
