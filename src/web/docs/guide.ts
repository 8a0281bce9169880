import './guide.css'
import { addCopyButtons, followReading, readIndexAddress } from './page-tools.ts'
import { addSearch } from './search-dialog.ts'

// The guides are whole without this script. It adds the search, buttons that copy, and the place that is being read.

const searchButton = document.querySelector<HTMLButtonElement>('.open-search')
if (searchButton) addSearch(searchButton, readIndexAddress())
addCopyButtons()
followReading([...document.querySelectorAll<HTMLAnchorElement>('.contents a')])
