import { defineFact, within } from '../../src/database/index.js'
import { assemble, defineDomain } from '../../src/kit/domain.js'

class Brick {}

const stone = defineDomain({
  name: 'stone',
  entities: [Brick],
  tallies: [{ name: 'brick', table: 'brick', dimensions: [], sums: [] }],
  permissions: { 'bricks:read': 'list bricks' },
  jobs: [{ name: 'fire-bricks', cron: '0 0 * * *', run: async () => {} }],
})
const house = defineDomain({ name: 'house', uses: [stone], permissions: { 'houses:read': 'list houses' } })

test('what the domains declare is added up in their order', () => {
  const moved = defineFact<{ brickId: string }>('brickMoved', 'brickId')
  const first = { ...stone, on: [within(moved, () => {})] }
  const second = { ...house, uses: [first], on: [within(moved, () => {})] }
  const assembly = assemble([first, second])
  expect(assembly.entities).toEqual([Brick])
  expect(assembly.tallies).toEqual(stone.tallies)
  expect(assembly.jobs).toEqual(stone.jobs)
  expect(Object.keys(assembly.permissions)).toEqual(['bricks:read', 'houses:read'])
  expect(assembly.on.map(({ domain, when, fact }) => [domain, when, fact.name])).toEqual([
    ['stone', 'within', 'brickMoved'],
    ['house', 'within', 'brickMoved'],
  ])
})

test('a domain that uses one which does not stand before it stops the start', () => {
  expect(() => assemble([house, stone])).toThrow('the domain house uses stone, which does not stand before it')
  expect(() => assemble([house])).toThrow('the domain house uses stone')
})

test.each([
  ['name', { name: 'stone' }, 'two domains have the name stone'],
  ['entity', { name: 'wall', entities: [Brick] }, 'two domains have the entity Brick'],
  ['tally', { name: 'wall', tallies: stone.tallies }, 'two domains have the tally brick'],
  ['permission', { name: 'wall', permissions: stone.permissions }, 'two domains have the permission bricks:read'],
  ['job', { name: 'wall', jobs: stone.jobs }, 'two domains have the job fire-bricks'],
])('two domains with the same %s stop the start', (_, other, says) => {
  expect(() => assemble([stone, defineDomain(other)])).toThrow(says)
})
