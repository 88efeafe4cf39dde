import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { DONATION_COLUMNS } from './donation-columns.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..');

describe('the columns of a donation', () => {
  it('match the columns of the Prisma schema', () => {
    const schema = readFileSync(join(ROOT, 'prisma/schema.prisma'), 'utf8');
    const model = /model Donation \{\n(.*?)\n\}/s.exec(schema)?.[1] ?? '';
    const scalars: Record<string, string> = {
      String: 'text',
      BigInt: 'bigint',
      Boolean: 'boolean',
      DateTime: 'timestamptz',
      Bytes: 'bytea',
      Json: 'jsonb',
      DonationType: 'donation_type',
      DonationStatus: 'donation_status',
      MessageState: 'message_state',
    };
    const fields = [...model.matchAll(/^ {2}(\w+) +(\w+)(\??)(.*)$/gm)];
    const columns = fields.flatMap(([, name = '', type = '', optional, rest = '']) => {
      const scalar = rest.includes('@db.Uuid') ? 'uuid' : scalars[type];
      const column = /@map\("(\w+)"\)/.exec(rest)?.[1] ?? name;
      // The other fields are relations.
      return scalar && !rest.includes('@relation') ? [[column, scalar, optional === '?']] : [];
    });
    const defined = Object.entries(DONATION_COLUMNS).map(([name, { type, nullable }]) => [
      name,
      type,
      nullable,
    ]);
    expect(defined.sort()).toEqual(columns.sort());
  });
});

describe('a new column', () => {
  const DEFINITION = join(ROOT, 'src/donations/store/donation-columns.ts');
  const START = 'export const DONATION_COLUMNS = {';

  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.includes('generated'))
    .map((path) => join(ROOT, 'src', path))
    .filter((path) => path === DEFINITION || readFileSync(path, 'utf8').includes('donation-columns.js'));
  const parsed = new Map<string, ts.SourceFile | undefined>();

  /** Number of compiler errors in each file that uses the columns, with `added` in their definition. */
  function errors(added: string): Map<string, number> {
    const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
    const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
    const host = ts.createCompilerHost(options);
    host.getSourceFile = (path, target) => {
      const text = () => ts.sys.readFile(path) ?? '';
      if (path === DEFINITION)
        return ts.createSourceFile(path, text().replace(START, `${START}\n${added}`), target, true);
      if (!parsed.has(path)) parsed.set(path, ts.createSourceFile(path, text(), target, true));
      return parsed.get(path);
    };
    // Resolves only our own files. Reading package exports would take most of the time.
    host.resolveModuleNameLiterals = (names, from) =>
      names.map(({ text }) => {
        const path = join(dirname(from), text.replace(/\.js$/, '.ts'));
        const ours = text.startsWith('.') && !text.includes('generated') && ts.sys.fileExists(path);
        return { resolvedModule: ours ? { resolvedFileName: path, extension: '.ts' } : undefined };
      });
    const program = ts.createProgram(sources, { ...options, noEmit: true, types: [] }, host);
    return new Map(
      sources.map((path) => {
        const found = program.getSemanticDiagnostics(program.getSourceFile(path));
        return [path.slice(ROOT.length + 1), found.length];
      }),
    );
  }

  const present = errors('');
  const brokenBy = (added: string) =>
    [...errors(added)].flatMap(([path, count]) => (count === present.get(path) ? [] : [path])).sort();

  it('does not compile until every place handles it', () => {
    expect(
      brokenBy(
        "campaign: { type: 'text', nullable: true, begins: 'given', changes: 'by donor', field: 'campaign', announced: true },",
      ),
    ).toEqual([
      'src/donations/dto/donation.dto.ts',
      'src/donations/dto/update-donation.dto.ts',
      'src/donations/lifecycle/corrections.service.ts',
      'src/donations/list/donation-list.service.ts',
      'src/donations/recording/recording.service.ts',
      'src/export/donations-csv.sql.ts',
      'src/gateway/live.sql.ts',
      'src/imports/kinds/donation-kind.service.ts',
      'src/payments/booking/fact-booking.ts',
      'src/payments/intents/intended-donation.ts',
      'src/receipts/receipt-row.ts',
      'src/transfers/transfers-apart.service.ts',
    ]);
  });

  it('causes a compiler error in new-donation.ts if new donations begin without it', () => {
    expect(
      brokenBy(
        "campaign: { type: 'text', nullable: true, begins: 'empty', changes: 'by name', field: null, announced: false },",
      ),
    ).toEqual([
      'src/donations/recording/new-donation.ts',
      'src/export/donations-csv.sql.ts',
      'src/gateway/live.sql.ts',
      'src/receipts/receipt-row.ts',
    ]);
  });

  it('requires every property of a column definition', () => {
    expect(brokenBy("campaign: { type: 'text', nullable: true, begins: 'given' },")).toContain(
      'src/donations/store/donation-columns.ts',
    );
  });
});
