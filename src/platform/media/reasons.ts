/** A file that cannot be worked on. The message is for the person who uploaded it. */
export class MediaError extends Error {
  override name = 'MediaError'
  readonly code: string
  /** What the program said, for the log only. */
  readonly detail: string

  constructor(code: string, message: string, detail = '') {
    super(message)
    this.code = code
    this.detail = detail
  }
}
