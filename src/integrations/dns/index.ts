import { Resolver } from 'node:dns/promises'

/** What the records of a domain say of a key: it is there, another one is, none is, or nobody could be asked. */
export type Published = 'published' | 'other' | 'missing' | 'unknown'

/** Where domains publish the keys that their mails are signed with. */
export interface DomainKeys {
  /** Whether the record of this name (TXT, RFC 6376) holds this public key, in base64. */
  look(name: string, publicKey: string): Promise<Published>
}

/** Stands where no mail leaves the machine: what nobody receives needs nobody's word. */
export class SandboxDomainKeys implements DomainKeys {
  async look(): Promise<Published> {
    return 'published'
  }
}

const NOT_THERE = ['ENOTFOUND', 'ENODATA']

/** Asks the name servers, those of the machine unless others are given. */
export class DnsDomainKeys implements DomainKeys {
  private readonly resolver = new Resolver({ timeout: 2000, tries: 2 })

  constructor(servers?: readonly string[]) {
    if (servers) this.resolver.setServers(servers)
  }

  async look(name: string, publicKey: string): Promise<Published> {
    try {
      const records = (await this.resolver.resolveTxt(name)).map((parts) => parts.join(''))
      const keys = records.map((record) => /(?:^|;)\s*p\s*=([^;]*)/.exec(record)?.[1]?.replace(/\s+/g, ''))
      return keys.includes(publicKey) ? 'published' : records.length > 0 ? 'other' : 'missing'
    } catch (error) {
      return NOT_THERE.includes((error as NodeJS.ErrnoException).code ?? '') ? 'missing' : 'unknown'
    }
  }
}
