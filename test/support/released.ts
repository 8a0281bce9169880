/** The last migration of release 0.1.0. Later ones only expand; those before it have changed tables in any way. */
export const RELEASED = '20261124060000_open_links'
