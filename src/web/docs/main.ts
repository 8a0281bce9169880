import './reference.css'
import { addKeyField } from './key-field.ts'
import { chooseLanguages } from './languages.ts'
import { followOldLink } from './old-link.ts'
import { addCopyButtons, followReading, readIndexAddress } from './page-tools.ts'
import { addSearch } from './search-dialog.ts'
import { addForms } from './try-form.ts'

// The reference can be read without this script. It adds the search, a choice of languages, your key in the examples, and forms.

followOldLink()
const searchButton = document.querySelector<HTMLButtonElement>('.open-search')
if (searchButton) addSearch(searchButton, readIndexAddress())
addCopyButtons()
chooseLanguages()
const readKey = addKeyField()
addForms(readKey)
const links = [...document.querySelectorAll<HTMLAnchorElement>('.menu a[href*="#"]')]
followReading(links.filter(({ pathname }) => pathname === location.pathname))
