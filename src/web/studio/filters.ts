import { useSearchParams } from 'wouter'

/** Conditions of a list, in the address of the page: a reload and a way back keep them. */
export function useFilters() {
  const [params, setParams] = useSearchParams()
  return {
    /** Returns a condition, or an empty text. */
    get: (name: string) => params.get(name) ?? '',
    set(name: string, value: string) {
      if ((params.get(name) ?? '') === value) return
      setParams(
        (all) => {
          if (value) all.set(name, value)
          else all.delete(name)
          return all
        },
        { replace: true },
      )
    },
  }
}
