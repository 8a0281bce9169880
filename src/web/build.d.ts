/** Values that the build inserts (.config/web.ts). */
declare const BUILD: {
  /** Addresses of the editor's workers. */
  workers: Record<'editor' | 'json' | 'graphql', string>
  /** Texts of `examples/*.graphql`, in the order of their names. */
  examples: string[]
}

declare module '*.css' {}
