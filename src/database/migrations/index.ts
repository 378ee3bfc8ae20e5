import { readdirSync } from 'node:fs'
import type { Migration } from '@mikro-orm/migrations'

// Each migration is a file of its own in this folder, named as its class; nothing else must know of it.
const MIGRATION = /^M\d{4}_\w+(?=\.(?:js|ts)$)/

type MigrationClass = new (...parameters: ConstructorParameters<typeof Migration>) => Migration

const folder = new URL('.', import.meta.url)
const names = readdirSync(folder).flatMap((file) => MIGRATION.exec(file)?.[0] ?? [])

/** Every migration, oldest first. */
export const migrations = await Promise.all(names.sort().map(load))

async function load(name: string): Promise<{ name: string; class: MigrationClass }> {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
  const module = await import(new URL(`${name}${extension}`, folder).href)
  return { name, class: module[name] as MigrationClass }
}
