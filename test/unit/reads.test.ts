import 'reflect-metadata'
import { Opportunity } from '../../src/domains/opportunities/opportunity.entity.js'
import { opportunityReads } from '../../src/domains/opportunities/opportunity.reads.js'
import { Reads } from '../../src/kit/reads/index.js'

test('a published field that no read brings stops the start', () => {
  const bare = () => new Reads({ entity: Opportunity, sorts: { created_at: 'createdAt' } })
  expect(bare).toThrow(/^no read brings Opportunity\..*\bstageName\b/)
})

test('a relation must be a property that refers to a record, and a sort one that is stored', () => {
  const sorts = { created_at: 'createdAt' }
  expect(() => new Reads({ entity: Opportunity, sorts, relations: { owner: { by: 'title' } } })).toThrow(/no record/)
  expect(() => new Reads({ entity: Opportunity, sorts: { name: 'stageName' } })).toThrow(/no column for stageName/)
})

test('loaders of records and of what belongs to them are the same at each look, as requests keep theirs by them', () => {
  expect(opportunityReads.loader).toBe(opportunityReads.loader)
  expect(opportunityReads.children.products).toBe(opportunityReads.children.products)
})
