// Address, type and length of the sound of each episode of a feed, as readers of npm see them.
import { parseFeed } from 'podcast-partytime'
import Parser from 'rss-parser'

const { FEED = '' } = process.env
const text = await (await fetch(FEED)).text()
const { items } = await new Parser().parseString(text)
const rss = items.map((item) => [item.enclosure?.url, item.enclosure?.type, item.itunes?.duration])
const podcast = parseFeed(text)
const partytime = podcast?.items.map(({ enclosure, duration }) => [enclosure.url, enclosure.type, duration])
console.log(JSON.stringify([rss, partytime]))
