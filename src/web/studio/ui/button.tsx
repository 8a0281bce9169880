import type { Ref } from 'react'
import { Button as AriaButton, type ButtonProps } from 'react-aria-components'

interface Props extends ButtonProps {
  /**
   * `primary` for the main action of a view, `danger` for one that removes something, `bare` for one that is only an icon,
   * `music` in the color of the music.
   */
  kind?: 'primary' | 'danger' | 'plain' | 'bare' | 'music'
  ref?: Ref<HTMLButtonElement>
}

export const Button = ({ kind = 'plain', className = '', ...props }: Props) => (
  <AriaButton {...props} className={`button ${kind} ${className}`} />
)
