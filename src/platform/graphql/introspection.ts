import { NoSchemaIntrospectionCustomRule } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Config } from '../../config.ts'

/** Rejects introspection if the operator has disabled it. */
export const introspectionPlugin = ({ isIntrospectionOn }: Config): Plugin => ({
  onValidate({ addValidationRule }) {
    if (!isIntrospectionOn) addValidationRule(NoSchemaIntrospectionCustomRule)
  },
})
