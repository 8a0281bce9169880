// Renders src/web/docs/guides/*.md to the pages at /docs/guides.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import MarkdownIt from 'markdown-it'
import type { SearchEntry } from '../src/web/docs/search.ts'
import { findLanguage, writeCode } from './code.ts'
import { root } from './once.ts'

/** In the order in which the pages list them. A new guide is a file and a name here. */
const groups: Record<string, string[]> = {
  Build: ['build-an-app', 'webhooks', 'connect-an-agent'],
  Run: [
    'run-in-production',
    'measure-the-audience',
    'transcribe-recordings',
    'observe',
    'backup-and-upgrade',
    'troubleshoot',
    'capacity',
    'cdn',
  ],
  'Look up': ['status-codes', 'limits-and-cost'],
}
const order = Object.values(groups).flat()

/** A part of a page, for the search and the list of its headings. */
export interface Section {
  id: string
  /** 1 is the whole page until its first heading. */
  level: number
  title: string
  /** Its words, without marks. */
  text: string
}

/** A guide: its first heading, the paragraph after it, and the whole as HTML. */
interface Guide {
  name: string
  title: string
  summary: string
  html: string
  sections: Section[]
}

/** Pages by the part of their address after `/docs/`, and what the search looks through. */
interface RenderedGuides {
  pages: Record<string, string>
  index: SearchEntry[]
}

/**
 * Renders every guide into the template.
 * @throws Error for a guide that is not in the order or a link to a file that is not a guide
 */
export function renderGuides(folder: string, template: string): RenderedGuides {
  const names = readdirSync(folder).map((file) => file.replace(/\.md$/, ''))
  const unlisted = names.filter((name) => !order.includes(name))
  if (unlisted.length > 0) throw new Error(`.config/guides.ts: add ${unlisted.join(', ')} to the order`)
  const guides = order.map((name) => render(name, insertFiles(readFileSync(join(folder, `${name}.md`), 'utf8'))))
  const pages = guides.map((guide, at) => [
    `guides/${guide.name}`,
    fill(template, {
      title: guide.title,
      menu: writeMenu(guides, guide),
      content: guide.html,
      contents: writeContents(guide.sections),
      neighbors: writeNeighbors(guides[at - 1], guides[at + 1]),
    }),
  ])
  const start = {
    title: 'Guides',
    menu: writeMenu(guides),
    content: writeStart(guides),
    contents: '',
    neighbors: '',
  }
  const index = guides.flatMap(({ name, title, sections }) =>
    sections.map((section) => ({
      page: title,
      title: section.title,
      address: `/docs/guides/${name}${section.level === 1 ? '' : `#${section.id}`}`,
      text: section.text,
    })),
  )
  return { pages: Object.fromEntries([['guides', fill(template, start)], ...pages]), index }
}

/** A line that is only a link to a file of `.config/deploy`. */
const FILE_LINK = /^\[`(.+)`\]\((?:\.\.\/)+(\.config\/deploy\/[\w./@-]+)\)$/gm

/** Inserts the files of `.config/deploy` in the place of the lines that link to them, so that a guide shows what tests run. */
export const insertFiles = (text: string): string =>
  text.replace(FILE_LINK, (_, title: string, path: string) => {
    const content = readFileSync(join(root, path), 'utf8').trimEnd()
    return `\`${title}\`:\n\n\`\`\`${findLanguage(path)}\n${content}\n\`\`\``
  })

/** Inserts values into the places of a template. Others are inserted later. */
export const fill = (template: string, values: Record<string, string>) =>
  template.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)

const findGuides = (guides: Guide[], names: string[]) => guides.filter(({ name }) => names.includes(name))

/** Guides in their groups; the current one is marked. */
function writeMenu(guides: Guide[], current?: Guide): string {
  const parts = Object.entries(groups).map(([group, names]) => {
    const links = findGuides(guides, names).map((guide) => {
      const mark = guide === current ? ' aria-current="page"' : ''
      return `<li><a href="/docs/guides/${guide.name}"${mark}>${guide.title}</a></li>`
    })
    return `<h2>${group}</h2>\n<ul>${links.join('\n')}</ul>`
  })
  return parts.join('\n')
}

/** The page that lists the guides. */
function writeStart(guides: Guide[]): string {
  const parts = Object.entries(groups).map(([group, names]) => {
    const cards = findGuides(guides, names).map(
      ({ name, title, summary }) =>
        `<li><a href="/docs/guides/${name}">${title}</a><p>${summary.replace(/<\/?a\b[^>]*>/g, '')}</p></li>`,
    )
    return `<h2>${group}</h2>\n<ul class="cards">${cards.join('\n')}</ul>`
  })
  return `<h1>Guides</h1>\n<p class="lead">How to build with Tonearm, and how to run it.</p>\n${parts.join('\n')}`
}

/** The list "On this page". A page with one heading has none. */
export function writeContents(sections: Section[]): string {
  const headings = sections.filter(({ level }) => level === 2 || level === 3)
  if (headings.length < 2) return ''
  const links = headings.map(
    ({ id, level, title }) => `<li class="level-${level}"><a href="#${id}">${Bun.escapeHTML(title)}</a></li>`,
  )
  return `<nav class="contents" aria-labelledby="contents"><h2 id="contents">On this page</h2>\n<ul>${links.join('\n')}</ul></nav>`
}

function writeNeighbors(previous?: Guide, next?: Guide): string {
  const write = (guide: Guide | undefined, label: string, kind: string) =>
    guide === undefined
      ? ''
      : `<a class="${kind}" rel="${kind}" href="/docs/guides/${guide.name}"><span>${label}</span>${guide.title}</a>`
  return `<nav class="neighbors" aria-label="Previous and next guide">${write(previous, 'Previous', 'prev')}${write(next, 'Next', 'next')}</nav>`
}

function render(name: string, text: string): Guide {
  const markdown = new MarkdownIt({ html: false })
  const ids = new Map<string, number>()
  const { rules } = markdown.renderer
  rules.heading_open = (tokens, index, options, _, self) => {
    tokens[index]?.attrSet('id', slug(tokens[index + 1]?.content ?? '', ids))
    return self.renderToken(tokens, index, options)
  }
  rules.heading_close = (tokens, index, options, _, self) => {
    const id = tokens[index - 2]?.attrGet('id')
    const isPart = tokens[index]?.tag !== 'h1'
    const anchor = isPart ? ` <a class="anchor" href="#${id}" aria-label="Link to this part">#</a>` : ''
    return anchor + self.renderToken(tokens, index, options)
  }
  rules.link_open = (tokens, index, options, _, self) => {
    const token = tokens[index]
    token?.attrSet('href', addressOf(String(token.attrGet('href')), name))
    return self.renderToken(tokens, index, options)
  }
  rules.fence = (tokens, index) => {
    const { info, content } = tokens[index] as { info: string; content: string }
    return info === 'mermaid' ? transitionTable(content, name) : codeBlock(content, info)
  }
  // Wide tables scroll by themselves, with the keyboard too.
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
  rules.table_close = () => '</table></div>\n'
  const [, title = '', summary = ''] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(text) ?? []
  if (!title || !summary) throw new Error(`${name}.md: begin with a heading and a paragraph`)
  const tokens = markdown.parse(text, {})
  return {
    name,
    title: markdown.renderInline(title),
    summary: markdown.renderInline(summary.replaceAll('\n', ' ')),
    html: withCodeIds(markdown.renderer.render(tokens, markdown.options, {})),
    // After rendering, which gives the headings their ids.
    sections: splitSections(tokens),
  }
}

/** Gives a row of a table that begins with a status and a code the code as its id, so that the reference can link to it. */
const withCodeIds = (html: string) =>
  html.replace(/<tr>(\s*<td>\d{3}<\/td>\s*<td><code>([a-z_]+)<\/code>)/g, '<tr id="$2">$1')

/** A block of code. It scrolls by itself, with the keyboard too. */
export const codeBlock = (code: string, language: string) =>
  `<div class="code"><pre tabindex="0"><code>${writeCode(code, language)}</code></pre></div>\n`

/** The words of a page, from heading to heading. */
function splitSections(tokens: ReturnType<InstanceType<typeof MarkdownIt>['parse']>): Section[] {
  const sections: Section[] = []
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open') {
      const level = Number(token.tag.slice(1))
      sections.push({ id: String(token.attrGet('id')), level, title: plainText(tokens[at + 1]), text: '' })
    } else if (token.content && tokens[at - 1]?.type !== 'heading_open') {
      const section = sections.at(-1)
      if (section) section.text = `${section.text} ${plainText(token)}`.replace(/\s+/g, ' ').trim()
    }
  })
  return sections
}

/** The words of a paragraph or a block of code, without marks. */
const plainText = (token?: { content: string; children: { content: string }[] | null }) =>
  token?.children?.map(({ content }) => content || ' ').join('') ?? token?.content ?? ''

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
