/** Keys of the advisory locks with one number. Processes of all releases agree on them: never change or reuse one. */
export const locks = {
  /** One process applies migrations, while no backup runs. */
  migration: 7_210_994,
  /** One process creates the first organization and owner. */
  firstStart: 7_210_995,
  /** One process creates or retires token keys. */
  tokenKeys: 7_210_996,
  /** One process rolls up usage. */
  usageRollUp: 7_210_998,
  /** One worker looks for uploads in the bucket. */
  noticeUploads: 7_210_999,
  /** One worker ends uploads whose address has expired. */
  expireUploads: 7_211_000,
  /** One worker removes objects from storage, while no backup runs. */
  purge: 7_211_001,
  /** One worker archives and drops months of the ledger, while no backup runs. */
  ledgerMonths: 7_211_002,
  /** One process writes backups to a place with several of them, and removes old ones. */
  backup: 7_211_003,
} as const

/** First numbers of the advisory locks with two, a separate key space. The second is a hash of the locked name. */
export const lockClasses = {
  /** Numbers the events of an organization in the order of their commits. Used by the function `event_number` only. */
  eventOrder: 722,
  /** Locked until the commit by a transaction that writes the index of a variant. */
  variantIndex: 723,
} as const

/** Seed of the 64-bit hashes that lock idempotency keys. Separates them from `locks`. */
export const IDEMPOTENCY_SEED = 4_202_611_210
