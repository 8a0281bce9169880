// Marks the parts of code examples for the pages of the documentation, at build time.
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import graphql from 'highlight.js/lib/languages/graphql'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import nginx from 'highlight.js/lib/languages/nginx'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'

const languages = { bash, graphql, ini, javascript, json, nginx, sql, typescript, yaml }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)
highlighter.configure({ classPrefix: 'code-' })

/** Languages by the ending of a file, for code that a guide inserts. */
const endings: Record<string, string> = {
  conf: 'nginx',
  env: 'ini',
  js: 'js',
  json: 'json',
  sql: 'sql',
  yaml: 'yaml',
  yml: 'yaml',
}

/** The language of a file of code; empty for one that is shown plain. */
export const findLanguage = (file: string): string => endings[file.split('.').at(-1) ?? ''] ?? ''

/**
 * Writes code as HTML, with a class for each kind of word.
 * @param language its name in a guide. Settings of an environment need none
 */
export function writeCode(code: string, language: string): string {
  const name = language || (/^[A-Z][A-Z0-9_]+=/m.test(code) ? 'ini' : '')
  return highlighter.getLanguage(name) === undefined
    ? Bun.escapeHTML(code)
    : highlighter.highlight(code, { language: name, ignoreIllegals: true }).value
}
