-- Requests of the realistic mix, for wrk: LINKS names a file with one path of a stream link on each line. A cubed random
-- number selects the link, so that the first hundredth of the links has a fifth of the requests.
local LISTENERS = 100000
local AGENTS = 200

local links = {}
for line in io.lines(os.getenv('LINKS')) do links[#links + 1] = line end
math.randomseed(os.time())

request = function()
  local link = links[1 + math.floor(math.random() ^ 3 * #links)]
  local listener = math.random(0, LISTENERS - 1)
  return wrk.format('GET', link, {
    ['X-Forwarded-For'] = '10.' .. math.floor(listener / 65536) .. '.' .. math.floor(listener / 256) % 256 .. '.' .. listener % 256,
    ['User-Agent'] = 'Mozilla/5.0 (X11; Linux x86_64; rv:' .. listener % AGENTS .. '.0) Gecko/20100101 Firefox/130.0',
    ['Referer'] = 'https://player.example.com/',
  })
end
