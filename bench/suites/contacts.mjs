/** Contacts: list, get, search and create, and how a list grows with the account. */
export default async function contacts(bench) {
  const { accounts, options } = bench
  const tags = (await bench.ask('/tags')).slice(0, 2).map(({ id }) => id)
  const ids = await bench.ids('/contacts')
  const body = { name: 'Bench {{n}}', email: 'bench-{{n}}@example.com', company: 'Bench Ltda', tags }
  bench.table(`An account of ${options.contacts} contacts among ${options.others} of others`, [
    await bench.row('list 50', bench.get('/contacts')),
    await bench.row('get one', bench.get('/contacts/{{id}}'), { ids }),
    await bench.row('search', bench.get('/contacts?search={{q}}')),
    await bench.row('create', bench.send('POST', '/contacts', body, { 'Idempotency-Key': 'bench-{{n}}' })),
  ])
  await bench.sql("delete from contact where email like 'bench-%'; delete from idempotency_record")
  if (!options.scaling) return
  const rows = []
  for (const account of [accounts.small, accounts.measured, accounts.large]) {
    for (const page of [1, 1000]) {
      if (page * 50 > account.contacts) continue
      rows.push(
        await bench.row(`${account.contacts} contacts, page ${page}`, bench.get(`/contacts?page=${page}`, account)),
      )
    }
  }
  bench.table('A list of 50 contacts by the size of the account', rows)
}
