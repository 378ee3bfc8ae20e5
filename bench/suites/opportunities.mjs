/** Opportunities: list, get, search, create and move, beside the same for contacts; and how lists grow. */
export default async function opportunities(bench) {
  const { accounts, options } = bench
  const ids = await bench.ids('/opportunities')
  const contactIds = await bench.ids('/contacts')
  const [{ stages }] = await bench.ask('/pipelines')
  const body = { name: 'Bench {{n}}', email: 'bench-{{n}}@example.com', company: 'Bench Ltda' }
  // Each request draws another opportunity, which mostly stands in another stage.
  const moves = stages.slice(0, 4).map(({ id }) => bench.send('PATCH', '/opportunities/{{id}}/stage', { stage_id: id }))
  bench.table(`An account of ${options.opportunities} opportunities`, [
    await bench.row('list 50', bench.get('/opportunities'), { ids }),
    await bench.row('list 50 contacts, to compare', bench.get('/contacts')),
    await bench.row('get one', bench.get('/opportunities/{{id}}'), { ids }),
    await bench.row('get one contact, to compare', bench.get('/contacts/{{id}}'), { ids: contactIds }),
    await bench.row('search', bench.get('/opportunities?search={{q}}')),
    await bench.row('company', bench.get('/opportunities?company=everest')),
    await bench.row('search contacts, to compare', bench.get('/contacts?search={{q}}')),
    await bench.row('search contacts for a company, to compare', bench.get('/contacts?search=everest')),
    await bench.row('create', bench.send('POST', '/opportunities', body, { 'Idempotency-Key': 'bench-{{n}}' })),
    await bench.row('create without a key', bench.send('POST', '/opportunities', body)),
    await bench.row(`move to ${stages[1].name}`, moves[1], { ids }),
  ])
  await bench.sql(
    `delete from opportunity o using contact c
      where c.account_id = o.account_id and c.id = o.contact_id and c.email like 'bench-%'`,
    "delete from contact where email like 'bench-%'; delete from idempotency_record",
  )
  if (options.scaling) await scaling(bench, [accounts.small, accounts.measured, accounts.large])
}

async function scaling(bench, accounts) {
  const rows = []
  for (const account of accounts) {
    const [{ id: pipeline, stages }] = await bench.ask('/pipelines', account)
    const { id: owner } = (await bench.ask('/users', account)).find(({ role }) => role === 'seller')
    const [recent] = await bench.ask('/opportunities?sort_by=updated_at&page=10&limit=100', account)
    const filters = {
      '': '',
      stage_id: `?stage_id=${stages[1].id}`,
      pipeline_id: `?pipeline_id=${pipeline}`,
      owner_user_id: `?owner_user_id=${owner}`,
      'updated_after, about 900 matches': `?updated_after=${recent.updated_at}`,
    }
    for (const [name, query] of Object.entries(filters)) {
      const title = `${account.opportunities} opportunities${name && `, ${name}`}`
      rows.push(await bench.row(title, bench.get(`/opportunities${query}`, account)))
    }
  }
  bench.table('Page 1 of 50 opportunities by the size of the account', rows)
}
