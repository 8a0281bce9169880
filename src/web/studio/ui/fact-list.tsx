interface Props {
  /** Names and their values. Those without a value are left out. */
  facts: readonly (readonly [name: string, value: string | number | null | undefined | false])[]
}

/** Names and values of a record. */
export function FactList({ facts }: Props) {
  const present = facts.filter(([, value]) => value || value === 0)
  if (present.length === 0) return null
  return (
    <dl className="facts">
      {present.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
