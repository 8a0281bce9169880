/** Values that the build inserts (.config/web.ts). */
declare const BUILD: {
  /** Addresses of the editor's workers. */
  workers: Record<'editor' | 'json' | 'graphql', string>
  /** Texts of `examples/*.graphql`, in the order of their names. */
  examples: string[]
}

declare module '*.css' {}

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface Options {
    domNode: HTMLElement
    spec: object
    deepLinking: boolean
    docExpansion: 'list' | 'full' | 'none'
    defaultModelsExpandDepth: number
    displayRequestDuration: boolean
    filter: boolean
    persistAuthorization: boolean
    /** Address of a validator. Null for none. */
    validatorUrl: string | null
  }
  const SwaggerUI: (options: Options) => void
  export default SwaggerUI
}
