import { NoSchemaIntrospectionCustomRule } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Config } from '../../config.ts'

/** Refuses to tell the schema where the operator wants so. */
export const introspectionPlugin = ({ isIntrospectionOn }: Config): Plugin => ({
  onValidate({ addValidationRule }) {
    if (!isIntrospectionOn) addValidationRule(NoSchemaIntrospectionCustomRule)
  },
})
