/** `linkedinProfileUrl` as the database spells it: `linkedin_profile_url`. */
type Snake<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${Snake<Tail>}`
    : `_${Lowercase<Head>}${Snake<Tail>}`
  : S

/** The columns of an entity's table, inferred from its class, so that the class stays the one definition. */
export type Columns<Entity> = {
  [Name in keyof Entity & string as Snake<Name>]: Exclude<Entity[Name], undefined>
}

/** A property's column. */
export function columnOf<Name extends string>(property: Name): Snake<Name> {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Snake<Name>
}
