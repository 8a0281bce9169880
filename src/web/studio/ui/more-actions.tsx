import { Ellipsis } from 'lucide'
import type { ReactNode } from 'react'
import { Menu, MenuTrigger, Popover } from 'react-aria-components'
import { Icon } from '../../design/icon.tsx'
import { t } from '../../strings.ts'
import { Button } from './button.tsx'

/** A button with three dots, and the menu of the items in it. */
export const MoreActions = ({ children }: { children: ReactNode }) => (
  <MenuTrigger>
    <Button kind="bare" aria-label={t('library.moreActions')}>
      <Icon of={Ellipsis} />
    </Button>
    <Popover placement="bottom end">
      <Menu className="action-menu">{children}</Menu>
    </Popover>
  </MenuTrigger>
)
