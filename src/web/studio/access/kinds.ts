import { t } from '../../strings.ts'

/** Kinds of keys for programs, the one that may do the least first. Share keys are links, with a page of their own. */
export const KINDS = ['PLAYER', 'UPLOADER', 'API'] as const
export type Kind = (typeof KINDS)[number]

export const isKind = (text: string): text is Kind => KINDS.some((kind) => kind === text)

export const kindsOfKeys = () => KINDS.map((kind) => ({ id: kind, text: t(`access.kind${kind}`) }))
