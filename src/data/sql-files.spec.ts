import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

/** Decision 0001: whatever touches donations or their money is a named statement in a `*.sql.ts` file. */

const SRC = join(dirname(fileURLToPath(import.meta.url)), '..');
const MONEY_TABLES = [
  'donation',
  'donation_history',
  'refund',
  'dispute',
  'webhook_event',
  'event_total',
  'event_donor',
  'outbox',
  'event_feed',
  'idempotency_key',
  'receipt',
  'receipt_counter',
];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.startsWith('data/generated/'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));

const sqlFiles = files.filter(({ path }) => path.endsWith('.sql.ts'));
const naming = (pattern: RegExp, among = files) =>
  among.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

const inSql = (words: string, tables: readonly string[]) =>
  new RegExp(`\\b(?:${words})\\s+(?:${tables.join('|')})\\b`);

describe('statements on donations and their money', () => {
  it('are in files named *.sql.ts, and nowhere else', () => {
    const statement = inSql('FROM|JOIN|INTO|UPDATE', MONEY_TABLES);
    expect(naming(statement).filter((path) => !path.endsWith('.sql.ts'))).toEqual([]);
    expect(naming(statement, sqlFiles).length).toBeGreaterThan(8);
  });

  it('never go through Prisma', () => {
    const camel = (table: string) => table.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const delegate = new RegExp(
      `\\b(?:prisma|tx|client\\(\\)\\s*\\))\\s*\\.(?:${MONEY_TABLES.map(camel).join('|')})\\.`,
    );
    expect(naming(delegate)).toEqual([]);
    expect(naming(/\bclient\(\)\s*\)\s*\.terminal\./)).not.toEqual([]);
  });

  it('name their columns', () => {
    expect(naming(/(?:SELECT|RETURNING) (?:\w+\.)?\*/, sqlFiles)).toEqual([]);
  });

  it('change a donation in two files only: the write path, and the recorder of many at once', () => {
    expect(naming(inSql('INTO|UPDATE', ['donation'])).sort()).toEqual([
      'donations/recording/donation-recorder.sql.ts',
      'donations/store/donations.sql.ts',
    ]);
  });

  it('read and write the totals in one file', () => {
    // The list of privileges that a start asks for names them, and neither reads nor writes them.
    const others = files.filter(({ path }) => path !== 'data/schema/ownership.ts');
    expect(naming(/\bevent_(?:total|donor)\b/, others)).toEqual(['totals/totals.sql.ts']);
    const statement = inSql('FROM|JOIN|INTO|UPDATE', ['event_total', 'event_donor']);
    expect(naming(statement)).toEqual(['totals/totals.sql.ts']);
  });
});
