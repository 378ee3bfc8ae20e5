import { Migration } from '@mikro-orm/migrations'

/**
 * Attempts to sign in wait for no disk: two of the three commits of a sign-in were theirs, and of many at once each took
 * a connection for as long. After a crash of the database nobody has failed yet, which gives a guesser five more tries.
 */
export class M0029_attempts_without_log extends Migration {
  override up(): void {
    this.addSql('alter table sign_in_attempt set unlogged')
  }

  override down(): void {
    this.addSql('alter table sign_in_attempt set logged')
  }
}
