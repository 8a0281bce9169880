import { t } from '../../strings.ts'

/** Kinds of keys, the one for listeners first. */
const KINDS = ['SHARE', 'PLAYER', 'UPLOADER', 'API'] as const
export type Kind = (typeof KINDS)[number]

export const isKind = (text: string): text is Kind => KINDS.some((kind) => kind === text)

export const kindsOfKeys = () => KINDS.map((kind) => ({ id: kind, text: t(`access.kind${kind}`) }))
