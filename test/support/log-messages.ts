// Finds the messages of the log in the code.
import { join } from 'node:path'
import { Glob } from 'bun'
import ts from 'typescript-5'

const root = join(import.meta.dir, '../../src')
const levels = ['debug', 'info', 'warn', 'error', 'fatal']

export interface LogMessage {
  level: string
  /** Values that are inserted into it are `…`. */
  message: string
  /** Below src, with its line. */
  place: string
}

/** Returns every message that the code logs, above level `debug`. */
export async function findLogMessages(): Promise<LogMessage[]> {
  const paths = [...new Glob('{cli,domain,platform,roles,main.ts}/**/*.ts').scanSync(root), 'main.ts']
  const messageLists = await Promise.all(paths.filter((path) => !path.includes('/generated/')).map(messagesOf))
  return messageLists.flat().filter(({ level }) => level !== 'debug')
}

async function messagesOf(path: string): Promise<LogMessage[]> {
  const source = ts.createSourceFile(path, await Bun.file(join(root, path)).text(), ts.ScriptTarget.Latest, true)
  const messages: LogMessage[] = []
  function visit(node: ts.Node): void {
    const level = ts.isCallExpression(node) && levelOf(node)
    if (level) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      for (const message of textsOf(node.arguments)) messages.push({ level, message, place: `${path}:${line + 1}` })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return messages
}

/** Level of a call of the log, else null. A level that is computed is `warn` or `error`. */
function levelOf({ expression }: ts.CallExpression): string | null {
  if (ts.isIdentifier(expression)) return expression.text === 'logFailure' ? 'error' : null
  const isAccess = ts.isPropertyAccessExpression(expression) || ts.isElementAccessExpression(expression)
  if (!isAccess || !/(^|\.)log$/.test(expression.expression.getText())) return null
  if (ts.isElementAccessExpression(expression)) return 'error'
  return levels.includes(expression.name.text) ? expression.name.text : null
}

/** Texts of the message, which is the first argument or follows the fields of the line. */
function textsOf(args: ts.NodeArray<ts.Expression>): string[] {
  const [first, second, third] = args
  const candidates = [first, second, ...(args.length > 3 ? [args[3]] : [third])]
  return candidates.flatMap((one) => (one ? literals(one) : []))
}

function literals(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isConditionalExpression(node)) return [...literals(node.whenTrue), ...literals(node.whenFalse)]
  if (!ts.isTemplateExpression(node)) return []
  return [node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')]
}
