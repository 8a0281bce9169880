/** Largest page of a connection, and the page of one without a size. */
export const MAX_PAGE = 200
export const DEFAULT_PAGE = 50
