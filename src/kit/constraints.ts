import { Extensions } from 'type-graphql'
import type { Permission } from './permissions.js'

/** What an input field demands beyond its GraphQL type; checked before the resolver and shown in the OpenAPI document. */
export interface Constraints {
  /** Code points at most. */
  maxLength?: number
  /** May be left out but not cleared: null and "" are faults. */
  notNull?: boolean
  /** May be left out and null, but not empty. */
  notEmpty?: boolean
  format?: 'email' | 'uuid' | 'color' | 'currency' | 'money' | 'label' | 'password'
  /** The smallest number that is allowed. */
  minimum?: number
  /** The largest number that is allowed. */
  maximum?: number
  /** The values that mean something, for the documentation: of a filter any other matches nothing. */
  choices?: readonly string[]
  /** Of a list: an item with a fault is left out, with a warning, instead of being one of the request. */
  dropsFaulty?: boolean
  /** A permission that is needed beside the root field's own when the field is given and not false. */
  access?: Permission
}

/** Text of at most this many code points. */
export const MaxLength = (maxLength: number): PropertyDecorator => constraint({ maxLength })

/** A field of a partial update that may be absent but not null or "". */
export const NotNull = (): PropertyDecorator => constraint({ notNull: true })

/** A text of one line, of at most this many code points, in which something stands if it is given. */
export const Label = (maxLength: number): PropertyDecorator =>
  constraint({ format: 'label', notEmpty: true, maxLength })

/** Of an input type: what has another member than its own is wrong, where it would otherwise only be told of. */
export const Closed = (): ClassDecorator => Extensions({ closed: true }) as ClassDecorator

/** Text that must look like an email address, at most 320 code points. */
export const EmailAddress = (): PropertyDecorator => constraint({ format: 'email', maxLength: 320 })

/** A password: taken as it is, white space and all, and never quoted back. */
export const Password = (): PropertyDecorator => constraint({ format: 'password', maxLength: 1024 })

/** A colour as CSS spells it in hexadecimal digits: #rgb or #rrggbb. */
export const HexColor = (): PropertyDecorator => constraint({ format: 'color' })

/** A number from the one to the other, both included. */
export const Between = (minimum: number, maximum: number): PropertyDecorator => constraint({ minimum, maximum })

/** The ISO 4217 code of a currency; lower case becomes upper case. */
export const CurrencyCode = (): PropertyDecorator => constraint({ format: 'currency' })

/** An amount of money: a number from 0 on, exact to the cent. */
export const Money = (): PropertyDecorator => constraint({ format: 'money' })

/** The id of a record, or a list of them: anything but a uuid is a fault. */
export const RecordId = (): PropertyDecorator => constraint({ format: 'uuid' })

/** An integer that is this or larger; of what is answered it is documentation. */
export const AtLeast = (minimum: number): PropertyDecorator & MethodDecorator =>
  constraint({ minimum }) as PropertyDecorator & MethodDecorator

/** A field that only a viewer with this further permission may use. */
export const NeedsPermission = (access: Permission): PropertyDecorator => constraint({ access })

/** A text filter whose values are those of an enum; any other matches nothing, as an unknown id does. */
export const OneOf = (values: Readonly<Record<string, string>>): PropertyDecorator =>
  constraint({ choices: Object.values(values) })

/** A list that leaves out what is wrong in it, with a warning. */
export const DropsFaulty = (): PropertyDecorator => constraint({ dropsFaulty: true })

function constraint(constraints: Constraints): PropertyDecorator {
  return Extensions({ ...constraints }) as PropertyDecorator
}
