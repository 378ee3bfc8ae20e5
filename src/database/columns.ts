/** `linkedinProfileUrl` as the database spells it: `linkedin_profile_url`. */
export function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
