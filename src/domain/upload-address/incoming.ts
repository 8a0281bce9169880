/** Prefix of the objects that clients upload to the bucket. */
export const INCOMING = 'incoming/'
/** Object key that a client's presigned PUT of a recording writes to. */
export const incomingKey = (trackId: string) => `${INCOMING}${trackId}`
