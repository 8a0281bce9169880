import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './until.ts'

const EXAMPLES = join(import.meta.dir, '../../.config/deploy/nginx')
const JS_MODULE = '/usr/lib/nginx/modules/ngx_http_js_module.so'

/** Whether this machine has nginx with njs (Debian: nginx-light, libnginx-mod-http-js). */
export const hasNginx = Bun.which('nginx') !== null && existsSync(JS_MODULE)

export const example = (name: string) => Bun.file(join(EXAMPLES, name)).text()
export const examplePath = (name: string) => join(EXAMPLES, name)

/**
 * Starts nginx with one worker process.
 * @param http content of its http block
 * @param env variables that scripts may read
 * @param port that it listens on
 */
export async function startNginx(http: string, port: number, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'tonearm-nginx-'))
  await mkdir(join(folder, 'temporary'))
  await chmod(folder, 0o755)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temporary/${name};`)
    .join('\n')
  const text = `
    ${existsSync(JS_MODULE) ? `load_module ${JS_MODULE};` : ''}
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    ${Object.keys(env)
      .map((name) => `env ${name};`)
      .join('\n')}
    worker_processes 1;
    daemon off;
    pid ${folder}/pid;
    error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http { access_log off; keepalive_requests 1000000; ${temporary} ${http.replaceAll('FOLDER', folder)} }`
  await Bun.write(join(folder, 'nginx.conf'), text)
  const child = Bun.spawn(['nginx', '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    env: { ...env, PATH: process.env.PATH ?? '' },
    stderr: Bun.file(join(folder, 'stderr.log')),
  })
  await until('nginx to answer', 10_000, async () => {
    if (child.exitCode !== null) throw new Error(await Bun.file(join(folder, 'stderr.log')).text())
    return fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).catch(() => null)
  })
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM')
      await child.exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}
