const KEPT = 'reference-language'

/** Shows one language of the examples of each operation, and remembers which. */
export function chooseLanguages(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('.examples')].map((group) => {
    const blocks = [...group.querySelectorAll<HTMLElement>('[data-language]')]
    const names = blocks.map(({ dataset }) => dataset.language ?? '')
    return { group, blocks, names, buttons: names.length > 1 ? addButtons(group, names) : [] }
  })

  const show = (language: string) => {
    for (const { blocks, names, buttons } of groups) {
      const name = names.includes(language) ? language : names[0]
      for (const block of blocks) block.hidden = block.dataset.language !== name
      for (const button of buttons) button.ariaPressed = String(button.textContent === name)
    }
  }

  function addButtons(group: HTMLElement, names: string[]): HTMLButtonElement[] {
    const bar = document.createElement('div')
    bar.className = 'languages'
    bar.setAttribute('role', 'group')
    bar.setAttribute('aria-label', 'Language of the example')
    const buttons = names.map((name) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = name
      button.addEventListener('click', () => choose(button, name))
      return button
    })
    bar.append(...buttons)
    group.prepend(bar)
    return buttons
  }

  /** Keeps the button under the pointer: other examples on the page change their heights. */
  function choose(button: HTMLButtonElement, name: string) {
    const { top } = button.getBoundingClientRect()
    localStorage.setItem(KEPT, name)
    show(name)
    scrollBy({ top: button.getBoundingClientRect().top - top, behavior: 'instant' })
  }

  show(localStorage.getItem(KEPT) ?? '')
}
