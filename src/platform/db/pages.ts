import type { Client } from 'pg'

/**
 * Reads pages of rows with an `id` (uuid) until one is empty.
 * @param statement orders by the ID; $1 is the last ID of the page before
 */
export async function* pagesById<T extends { id: string }>(
  client: Pick<Client, 'query'>,
  statement: string,
): AsyncGenerator<T[]> {
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await client.query<T & Record<string, unknown>>(statement, [last])
    const end = rows.at(-1)
    if (!end) return
    last = end.id
    yield rows
  }
}
