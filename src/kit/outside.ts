import { Extensions } from 'type-graphql'

/**
 * Says of a mutation that it does what the database cannot take back: it is never carried out only to see what else is
 * wrong with its inputs.
 */
export const ActsOutside = (): MethodDecorator => Extensions({ actsOutside: true }) as MethodDecorator
