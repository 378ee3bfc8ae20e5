/** The direction of a sort. */
export enum SortOrder {
  ASC = 'asc',
  DESC = 'desc',
}
