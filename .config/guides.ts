// Renders src/web/docs/guides/*.md to the pages at /docs/guides.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { root } from './once.ts'

/** In the order in which the pages list them. A new guide is a file and a name here. */
const order = [
  'build-an-app',
  'webhooks',
  'run-in-production',
  'observe',
  'backup-and-upgrade',
  'troubleshoot',
  'status-codes',
  'limits-and-cost',
  'capacity',
  'cdn',
]

/** A guide: its first heading, the paragraph after it, and the whole as HTML. */
interface Guide {
  name: string
  title: string
  summary: string
  html: string
}

/**
 * Renders every guide into the template.
 * @returns pages by the part of their address after `/docs/`
 * @throws Error for a guide that is not in the order or a link to a file that is not a guide
 */
export function renderGuides(folder: string, template: string): Record<string, string> {
  const names = readdirSync(folder).map((file) => file.replace(/\.md$/, ''))
  const unlisted = names.filter((name) => !order.includes(name))
  if (unlisted.length > 0) throw new Error(`.config/guides.ts: add ${unlisted.join(', ')} to the order`)
  const guides = order.map((name) => render(name, insertFiles(readFileSync(join(folder, `${name}.md`), 'utf8'))))
  const list = guides
    .map(({ name, title, summary }) => `<li><a href="/docs/guides/${name}">${title}</a><p>${summary}</p></li>`)
    .join('\n')
  const pages = guides.map((guide) => [
    `guides/${guide.name}`,
    fill(template, { title: guide.title, guides: menu(guides, guide), content: guide.html }),
  ])
  const index = { title: 'Guides', guides: menu(guides), content: `<h1>Guides</h1>\n<ul class="index">${list}</ul>` }
  return Object.fromEntries([['guides', fill(template, index)], ...pages])
}

/** A line that is only a link to a file of `.config/deploy`. */
const FILE_LINK = /^\[`(.+)`\]\((?:\.\.\/)+(\.config\/deploy\/[\w./@-]+)\)$/gm

/** Inserts the files of `.config/deploy` in the place of the lines that link to them, so that a guide shows what tests run. */
export const insertFiles = (text: string): string =>
  text.replace(FILE_LINK, (_, title: string, path: string) => {
    const content = readFileSync(join(root, path), 'utf8').trimEnd()
    return `\`${title}\`:\n\n\`\`\`\n${content}\n\`\`\``
  })

const fill = (template: string, values: Record<string, string>) =>
  template.replace(/\{(title|guides|content)\}/g, (_, name: string) => values[name] ?? '')

const menu = (guides: Guide[], current?: Guide) =>
  guides
    .map((guide) => {
      const mark = guide === current ? ' aria-current="page"' : ''
      return `<a href="/docs/guides/${guide.name}"${mark}>${guide.title}</a>`
    })
    .join('\n')

function render(name: string, text: string): Guide {
  const markdown = new MarkdownIt({ html: false })
  const ids = new Map<string, number>()
  const { rules } = markdown.renderer
  rules.heading_open = (tokens, index, options, _, self) => {
    tokens[index]?.attrSet('id', slug(tokens[index + 1]?.content ?? '', ids))
    return self.renderToken(tokens, index, options)
  }
  rules.link_open = (tokens, index, options, _, self) => {
    const token = tokens[index]
    token?.attrSet('href', addressOf(String(token.attrGet('href')), name))
    return self.renderToken(tokens, index, options)
  }
  const { fence } = rules
  rules.fence = (tokens, index, options, env, self) => {
    const { info, content } = tokens[index] as { info: string; content: string }
    return info === 'mermaid' ? transitionTable(content, name) : (fence?.(tokens, index, options, env, self) ?? '')
  }
  // Wide tables and code scroll by themselves, with the keyboard too.
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
  rules.table_close = () => '</table></div>\n'
  const [, title = '', summary = ''] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(text) ?? []
  if (!title || !summary) throw new Error(`${name}.md: begin with a heading and a paragraph`)
  return {
    name,
    title: markdown.renderInline(title),
    summary: markdown.renderInline(summary.replaceAll('\n', ' ')),
    html: markdown.render(text).replaceAll('<pre>', '<pre tabindex="0">'),
  }
}

/**
 * Renders a state diagram, which GitHub draws, as a table of its transitions. It is readable with a screen reader and on a
 * phone, and needs no program that draws.
 */
function transitionTable(diagram: string, guide: string): string {
  const [header, ...lines] = diagram.trim().split('\n')
  if (header !== 'stateDiagram-v2') throw new Error(`${guide}.md: ${header} is not a state diagram`)
  const rows = lines.map((line) => {
    const [, from, to, cause] = /^ {2}(\[\*\]|\w+) --> (\w+): (.+)$/.exec(line) ?? []
    if (!from || !to || !cause) throw new Error(`${guide}.md: "${line}" is not "state --> state: cause"`)
    return `<tr><td>${from === '[*]' ? 'none' : `<code>${from}</code>`}</td><td><code>${to}</code></td><td>${Bun.escapeHTML(cause)}</td></tr>`
  })
  const head = '<tr><th>from</th><th>to</th><th>when</th></tr>'
  return `<div class="table" tabindex="0"><table><thead>${head}</thead><tbody>${rows.join('\n')}</tbody></table></div>\n`
}

/** The id that GitHub gives a heading, so that an anchor works in both places. */
function slug(heading: string, ids: Map<string, number>): string {
  const id = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
  const count = ids.get(id) ?? 0
  ids.set(id, count + 1)
  return count === 0 ? id : `${id}-${count}`
}

/** `webhooks.md#attempts` as `/docs/guides/webhooks#attempts`. */
function addressOf(href: string, name: string): string {
  if (/^(https:\/\/|#)/.test(href)) return href
  const [, guide = '', anchor = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(href) ?? []
  if (!order.includes(guide)) throw new Error(`${name}.md: ${href} is not a guide`)
  return `/docs/guides/${guide}${anchor}`
}
