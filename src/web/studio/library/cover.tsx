interface Props {
  /** Address of the image. Null without a cover. */
  url: string | undefined
}

/** A cover without a text of its own: the title is next to it. */
export const Cover = ({ url }: Props) =>
  url ? (
    <img className="cover" alt="" src={url} loading="lazy" decoding="async" />
  ) : (
    <svg className="cover none" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M9 17V6l9-2v11" />
      <circle cx="6.5" cy="17" r="2.5" />
      <circle cx="15.5" cy="15" r="2.5" />
    </svg>
  )
