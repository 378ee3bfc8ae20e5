import { registerEnumType } from 'type-graphql'

/** The direction of a sort. */
export enum SortOrder {
  ASC = 'asc',
  DESC = 'desc',
}
registerEnumType(SortOrder, {
  name: 'SortOrder',
  description: 'The direction of a sort; ties break by id in the same direction, and nulls come last both ways.',
  valuesConfig: { ASC: { description: 'Smallest first.' }, DESC: { description: 'Largest first.' } },
})
