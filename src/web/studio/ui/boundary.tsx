import { Component, type ReactNode } from 'react'
import { t } from '../../strings.ts'
import { Button } from './button.tsx'

/** Keeps the frame when a part fails: after an upgrade of the service, parts have other addresses than this page knows. */
export class Boundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <div className="failure" role="alert">
        <p>{t('studio.broken')}</p>
        <Button onPress={() => location.reload()}>{t('studio.reload')}</Button>
      </div>
    )
  }
}
