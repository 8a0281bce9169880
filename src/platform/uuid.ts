/** Source of a regular expression for a lower-case UUID of any version. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const uuid = new RegExp(`^${UUID_PATTERN}$`, 'i')

/** Whether a text is a UUID of any version, in any case. */
export const isUuid = (text: string): boolean => uuid.test(text)
