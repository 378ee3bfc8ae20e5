import { registerEnumType } from 'type-graphql'
import { SortOrder } from '../shared/sorting.js'

registerEnumType(SortOrder, {
  name: 'SortOrder',
  description: 'The direction of a sort; ties break by id in the same direction, and nulls come last both ways.',
  valuesConfig: { ASC: { description: 'Smallest first.' }, DESC: { description: 'Largest first.' } },
})

export { SortOrder }
