/** An object that a row names. */
export interface StoredObject {
  key: string
  /** Null if no row has its size. */
  bytes: number | null
  /** Lower-case hexadecimal. Null if no row has its checksum. */
  sha256: string | null
  contentType: string
  /** Time from which the purge may remove it, of a deleted record. Null while the record is not deleted. */
  expiresAt: Date | null
}

/** Content type of objects that are never delivered. */
export const UNDELIVERED_TYPE = 'application/octet-stream'
