import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanEnvironment, launch, type Running } from '../cli/run.js'

const PARTS = ['src', 'schema', 'scripts', 'docs', 'package.json', 'package-lock.json', 'tsconfig.json']

/** A copy of the project in which a recipe of CONTRIBUTING.md is followed. It counts the files that are touched. */
export class Scratch {
  readonly folder = mkdtempSync(join(tmpdir(), 'fairlead-recipe-'))
  readonly touched = new Set<string>()

  constructor() {
    for (const part of PARTS) cpSync(part, join(this.folder, part), { recursive: true })
    symlinkSync(realpathSync('node_modules'), join(this.folder, 'node_modules'))
  }

  write(file: string, text: string): void {
    this.touched.add(file)
    writeFileSync(join(this.folder, file), text)
  }

  /** Puts a text before another one that stands in the file. */
  insert(file: string, before: string, text: string): void {
    const present = readFileSync(join(this.folder, file), 'utf8')
    if (!present.includes(before)) throw new Error(`${file} has no ${before}`)
    this.write(file, present.replace(before, text + before))
  }

  /** Builds and emits the schema; throws with what was printed. */
  build(): void {
    this.node('scripts/build.mjs')
    this.node('scripts/emit.mjs')
  }

  /** Runs a command of the copy on a database, and returns the JSON object that it prints. */
  command(databaseUrl: string, ...args: string[]): Record<string, string> {
    return JSON.parse(this.node('dist/main.js', ...args, { DATABASE_URL: databaseUrl }))
  }

  serve(databaseUrl: string): Running {
    const args = [this.main, 'serve', '--port', '0', '--no-worker']
    return launch(process.execPath, args, { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' })
  }

  /** The program that was built, to be run by this Node.js. */
  get main(): string {
    return join(this.folder, 'dist/main.js')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  private node(...given: (string | Record<string, string>)[]): string {
    const args = given.filter((one) => typeof one === 'string')
    const settings = Object.assign({}, ...given.filter((one) => typeof one !== 'string'))
    const env = cleanEnvironment(settings)
    return execFileSync(process.execPath, args, { cwd: this.folder, env, encoding: 'utf8', stdio: 'pipe' })
  }
}
