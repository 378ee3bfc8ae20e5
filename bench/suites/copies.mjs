const LIMIT = 100
const PAGES = [1, 100, 10_000]
const COPIES = {
  'as a copy, by updated_at': '/contacts?updated_after=2000-01-01&sort_by=updated_at&sort_order=asc',
  'as a list, by name': '/contacts?sort_by=name&sort_order=asc',
}

/** All contacts of the large account by cursor: what a page costs by how late it comes. */
export default async function copies(bench) {
  const { accounts, options } = bench
  const account = options.scaling ? accounts.large : accounts.measured
  const rows = []
  for (const [name, path] of Object.entries(COPIES)) {
    const starts = await follow(bench, `${path}&limit=${LIMIT}`, account)
    const times = []
    for (const [page, start] of starts) {
      const row = await bench.row(`${name}, page ${page}`, bench.get(start, account))
      rows.push(row)
      times.push(row[2])
    }
    const spread = Math.max(...times) / Math.min(...times)
    rows.push([`${name}: slowest / fastest p50`, '', spread, '', '', '', ''])
  }
  bench.table(`A copy of ${account.contacts} contacts by cursor, ${LIMIT} a page`, rows)
}

/** Reads the list to its end; returns the paths of some of its pages. */
async function follow(bench, path, { key }) {
  const starts = []
  let at = path
  for (let page = 1; ; page++) {
    if (PAGES.includes(page)) starts.push([page, at])
    const answer = await fetch(bench.api + at, { headers: { 'X-API-Key': key } })
    if (!answer.ok) throw new Error(`${at}: ${await answer.text()}`)
    const { next_cursor: cursor } = (await answer.json()).pagination
    if (cursor === null || page >= PAGES.at(-1)) return starts
    at = `${path}&cursor=${cursor}`
  }
}
