import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

/** Decision 0001 says which tables use named statements and which tables use Prisma. */

const SRC = join(dirname(fileURLToPath(import.meta.url)), '..');
const SCHEMA = readFileSync(join(SRC, '../prisma/schema.prisma'), 'utf8');

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
  'outbox_head',
  'follower',
  'follower_position',
  'idempotency_key',
  'receipt',
  'receipt_counter',
  'collective_receipt',
  'collective_gift',
  'confirmed_gift',
];
/** Tables that are written in money transactions, or by code that queries the payment providers. */
const BESIDE_MONEY = [
  'capture_refusal',
  'card_batch',
  'card_charge',
  'checkout',
  'donor_link',
  'donor_session',
  'erased_donor',
  'event_reading',
  'gift_aid_adjustment',
  'gift_aid_claim',
  'gift_aid_claim_donation',
  'gift_aid_declaration',
  'gift_aid_text',
  'imported_donation',
  'match_draw',
  'match_pool',
  'match_pool_interval',
  'method_reading',
  'milestone',
  'payout',
  'payout_item',
  'pledge_contact',
  'pledge_opt_out',
  'pledge_payment',
  'pledge_round',
  'provider_health',
  'provider_request',
  'reconciliation_failure',
  'review_item',
  'saved_card',
  'sealed_receipt',
  'team_gift',
  'transfer',
  'tribute_opt_out',
  'unhandled_event',
  'wall_moment',
  'webhook_attempt',
  'webhook_donation',
  'webhook_endpoint',
  'webhook_message',
];

const WITH_MONEY = 'runs in a money transaction, whose connection Prisma does not use';
const HOT = 'runs in every request of its kind: public reads, records, guarded routes';
const LOCKS = 'locks a row until the commit';
const QUEUE =
  'claims with SKIP LOCKED and the database clock; the following work is valid only during the claim';
const BY_ITSELF = 'runs in every process in the background: a process without sign-ins never loads Prisma';
const AT_START =
  'runs before the server listens, in one transaction under a lock, mostly only when a secret is replaced';
const CLOCK = 'uses the database clock, because records are compared with it';
const ONE_MOMENT = 'must be read in the same snapshot as the money it is shown with';
const PUBLIC_PAGE = 'runs on a public page: a process without sign-ins never loads Prisma';
const COMMAND = 'an operator command has one connection and no application';
const OF_MONEY = 'is generated for several money tables';
const COPIES = 'copies an event inside the database, in one transaction with its match pools';
const SHARED_END = 'reads donations: its FROM is in exported-donations.sql.ts';

/**
 * The reason for each statement on a table outside money: Prisma cannot express these statements. Unnamed statements are listed
 * by file.
 */
const REASONS: Readonly<Record<string, string>> = {
  admin_lock: LOCKS,
  audit_record: WITH_MONEY,
  card_guest: PUBLIC_PAGE,
  card_guest_address: PUBLIC_PAGE,
  donation_counted_in_shift: WITH_MONEY,
  donation_open_shift_of: WITH_MONEY,
  donation_released_terminal: WITH_MONEY,
  'export/donations-sheet.sql.ts': SHARED_END,
  match_event_overrides: WITH_MONEY,
  'donors_erase_${table}_reasons': OF_MONEY,
  'donors_export_${name}': OF_MONEY,
  'rehearsal_copy_${table}': COPIES,
  rehearsal_create: COPIES,
  rehearsal_copy_assignments: COPIES,
  rehearsal_copy_guests: COPIES,
  rehearsal_end: COPIES,
  'rehearsal/purge.sql.ts': OF_MONEY,
  'rehearsal_delete_${table}': OF_MONEY,
  rehearsal_count_deleted: WITH_MONEY,
  rehearsal_deleted_so_far: LOCKS,
  rehearsal_play_start: CLOCK,
  rehearsal_play_of: BY_ITSELF,
  rehearsal_play_unfinished: BY_ITSELF,
  rehearsal_play_end: CLOCK,
  rehearsal_play_round: BY_ITSELF,
  rehearsal_play_played: BY_ITSELF,
  rehearsal_event_within_a_day: CLOCK,
  rehearsal_visited: PUBLIC_PAGE,
  donors_erase_floor_messages: WITH_MONEY,
  donors_erase_import_rows: WITH_MONEY,
  donors_erase_uploads: WITH_MONEY,
  donors_erase_wrong_rows: WITH_MONEY,
  email_abandon: QUEUE,
  email_claim: QUEUE,
  email_drop: QUEUE,
  email_enqueue_charge_failed: WITH_MONEY,
  email_enqueue_charge_notices: WITH_MONEY,
  email_enqueue_missing_address: WITH_MONEY,
  email_enqueue_own_page: WITH_MONEY,
  email_enqueue_pledge_step: WITH_MONEY,
  email_enqueue_tributes: BY_ITSELF,
  email_enqueue_reminder: WITH_MONEY,
  email_enqueue_transfer: WITH_MONEY,
  email_enqueue_webhook_disabled: WITH_MONEY,
  email_give_up: QUEUE,
  email_mark_copy: QUEUE,
  email_mark_sent: QUEUE,
  email_postpone: QUEUE,
  email_prune: BY_ITSELF,
  email_request_receipt: WITH_MONEY,
  email_try_later: QUEUE,
  emails_erase_own_page: WITH_MONEY,
  emails_erase_unsent: WITH_MONEY,
  event_by_id: HOT,
  event_by_slug: HOT,
  event_has_unsigned_shifts: WITH_MONEY,
  event_lock: LOCKS,
  event_lock_against_donations: LOCKS,
  event_set_overrides: WITH_MONEY,
  event_update: WITH_MONEY,
  guest_with_paddle: HOT,
  guests_with_paddles: WITH_MONEY,
  guests_by_table: 'Prisma cannot count all rows and the checked-in rows in one statement',
  guests_delete_old: BY_ITSELF,
  guests_next_paddle: 'Prisma cannot find the first number that is missing',
  kept_key_keep: AT_START,
  kept_key_of_donors: AT_START,
  kept_key_seal: AT_START,
  made_before_replacement: AT_START,
  'health/checks/database-checks.ts':
    'also runs in an operator command, which has one connection and no application',
  'operator/account-notices.ts': COMMAND,
  'operator/admin-remove.ts': COMMAND,
  'operator/admin-seed.ts': COMMAND,
  'operator/sessions-end.ts': COMMAND,
  prune_invitations: BY_ITSELF,
  prune_refresh_tokens: BY_ITSELF,
  prune_session_revocations: BY_ITSELF,
  prune_sign_in_codes: BY_ITSELF,
  prune_terminal_codes: BY_ITSELF,
  sealed_email_write: AT_START,
  sealed_emails: AT_START,
  sealed_factor_write: AT_START,
  sealed_factors: AT_START,
  sealed_pin_write: AT_START,
  sealed_pins: AT_START,
  api_keys_live: HOT,
  api_key_note_use: CLOCK,
  session_admin: HOT,
  session_staff: HOT,
  milestone_has_image: LOCKS,
  settings_lock: LOCKS,
  settings_read: HOT,
  shift_lock: LOCKS,
  shift_open: CLOCK,
  shift_recount: CLOCK,
  shift_recounts_of: LOCKS,
  shift_sign: CLOCK,
  staff_lock: LOCKS,
  story_audit: ONE_MOMENT,
  story_emails: ONE_MOMENT,
  summary_cash: ONE_MOMENT,
  table_import_advance: WITH_MONEY,
  table_import_undone: WITH_MONEY,
  table_imports_delete_old: BY_ITSELF,
  team_by_slug: PUBLIC_PAGE,
  team_event_has_teams: WITH_MONEY,
  team_in_event: HOT,
  team_tables_of_guests: 'Prisma cannot compare a trimmed table with numbers and names',
  'teams/teams.service.ts': LOCKS,
  terminal_beat: CLOCK,
  tonight_tills: ONE_MOMENT,
  webhook_admin_and_endpoint: BY_ITSELF,
  webhook_admins: WITH_MONEY,
};

/** Models outside money for which no Prisma call is needed, each with the reason. */
const WITHOUT_DELEGATE: Readonly<Record<string, string>> = {
  shiftRecount:
    'a recount takes the time of the database and is written in the transaction that locks the shift',
  keptKey: AT_START,
  lastBackup: 'is written by scripts/database/backup.sh, and read with the books',
  rehearsalPlay: 'is counted in the database, and its guests are compared with the donations',
  rehearsal: 'is written in the transactions that copy and delete an event, and read with its donations',
  sessionEpoch: 'is written by npm run sessions:end, and read with every session',
};

interface Source {
  readonly path: string;
  readonly text: string;
}

const files: readonly Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.startsWith('data/generated/'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));

const sqlFiles = files.filter(({ path }) => path.endsWith('.sql.ts'));
const naming = (pattern: RegExp, among = files) =>
  among.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

const inSql = (words: string, tables: readonly string[]) =>
  new RegExp(`\\b(?:${words})\\s+(?:${tables.join('|')})\\b`);

/** Models of the schema, each with its table. */
const models = [...SCHEMA.matchAll(/^model (\w+) \{[^]*?^ {2}@@map\("(\w+)"\)/gm)].map(
  ([, name = '', table = '']) => ({ delegate: name.charAt(0).toLowerCase() + name.slice(1), table }),
);
const MONEY = new Set([...MONEY_TABLES, ...BESIDE_MONEY]);
const TABLES = new Set(models.map(({ table }) => table));
const outside = models.filter(({ table }) => !MONEY.has(table));

/** Placeholder for a part of a statement that is known only at run time. */
const UNKNOWN = '?';
/** A file that contains none of these words has no statement. */
const OF_STATEMENT = /\b(?:FROM|JOIN|INTO|UPDATE)\s|\btext\b/;
const ON_TABLE = /(?<!DISTINCT )\b(?:FROM|JOIN|INTO|UPDATE|USING)\s+(?:ONLY\s+)?([a-z_]+|\?)/g;
const tablesIn = (sql: string): string[] =>
  [...new Set([...sql.matchAll(ON_TABLE)].map(([, table = '']) => table))].filter(
    (table) => table === UNKNOWN || TABLES.has(table),
  );

/** A statement and its tables. The id is the name, or the file of an unnamed statement. */
interface Found {
  readonly id: string;
  readonly path: string;
  readonly tables: readonly string[];
}

/** Finds all statements in the sources, including texts interpolated from other files. */
function statementsIn(sources: readonly Source[]): Found[] {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const known = new Map<string, Parsed>();
  /** Parses only files with a part of a statement, because parsing all files takes seconds. */
  const parsed = (path: string): Parsed | undefined => {
    const text = texts.get(path);
    if (text !== undefined && !known.has(path)) known.set(path, parse(path, text));
    return known.get(path);
  };
  const withStatements = sources.flatMap(({ path, text }) => {
    const file = OF_STATEMENT.test(text) && parsed(path);
    return file ? [{ path, file: file.file }] : [];
  });
  const followed = new Set<ts.Node>();
  const found: Found[] = [];

  function sqlOf(node: ts.Node, path: string, within: ReadonlySet<ts.Node> = new Set()): string {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isTemplateExpression(node))
      return [
        node.head.text,
        ...node.templateSpans.map(
          ({ expression, literal }) => (sqlOf(expression, path, within) || UNKNOWN) + literal.text,
        ),
      ].join('');
    if (ts.isPropertyAccessExpression(node)) return sqlOf(node.expression, path, within);
    if (ts.isPropertyAssignment(node)) return sqlOf(node.initializer, path, within);
    if (ts.isIdentifier(node)) {
      const [declaration, home] = declarationOf(node.text, path);
      if (!declaration || within.has(declaration)) return '';
      followed.add(declaration);
      return sqlOf(declaration, home, new Set([...within, declaration]));
    }
    const parts: string[] = [];
    node.forEachChild((child) => void parts.push(sqlOf(child, path, within)));
    return parts.filter(Boolean).join(' ');
  }

  function declarationOf(name: string, path: string): [ts.Node | undefined, string] {
    const file = parsed(path);
    const own = file?.declarations.get(name);
    const imported = file?.imports.get(name);
    if (own || !imported) return [own, path];
    return [parsed(imported.path)?.declarations.get(imported.name), imported.path];
  }

  for (const { path, file } of withStatements)
    visit(file, (node) => {
      const [name, text] = [partOf(node, 'name'), partOf(node, 'text')];
      if (!name || !text) return true;
      const id = ts.isStringLiteralLike(name) ? name.text : name.getText(file).replaceAll('`', '');
      found.push({ id, path, tables: tablesIn(sqlOf(text, path)) });
      return false;
    });
  // Finds statements without a name that are passed directly to a connection.
  for (const { path, file } of withStatements)
    visit(file, (node) => {
      if (followed.has(node) || (partOf(node, 'name') && partOf(node, 'text'))) return false;
      if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return true;
      found.push({ id: path, path, tables: tablesIn(sqlOf(node, path)) });
      return false;
    });
  return found;
}

interface Parsed {
  readonly file: ts.SourceFile;
  readonly declarations: ReadonlyMap<string, ts.Node>;
  readonly imports: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
}

function parse(path: string, text: string): Parsed {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const declarations = new Map<string, ts.Node>();
  const imports = new Map<string, { path: string; name: string }>();
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (initializer) declarations.set(name.getText(file), initializer);
    if (ts.isFunctionDeclaration(statement) && statement.name && statement.body)
      declarations.set(statement.name.text, statement.body);
    if (ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier)) {
      const from = join(dirname(path), statement.moduleSpecifier.text.replace(/\.js$/, '.ts'));
      const named = statement.importClause?.namedBindings;
      if (named && ts.isNamedImports(named))
        for (const { name, propertyName } of named.elements)
          imports.set(name.text, { path: from, name: (propertyName ?? name).text });
    }
  }
  return { file, declarations, imports };
}

/** Visits a node, and its children if `look` returns true for the node. */
function visit(node: ts.Node, look: (node: ts.Node) => boolean): void {
  if (look(node)) node.forEachChild((child) => visit(child, look));
}

/** Returns a property of an object literal. */
function partOf(node: ts.Node, name: string): ts.Expression | undefined {
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const property = node.properties.find((one) => one.name?.getText() === name);
  if (property && ts.isPropertyAssignment(property)) return property.initializer;
  return property && ts.isShorthandPropertyAssignment(property) ? property.name : undefined;
}

/** Returns the violations of the rule, and the outdated entries in the list of reasons. */
function problemsOf(sources: readonly Source[], reasons: Readonly<Record<string, string>>): string[] {
  const needReason = statementsIn(sources).filter(
    ({ tables }) => tables.length > 0 && !tables.some((table) => MONEY.has(table)),
  );
  const ids = new Set(needReason.map(({ id }) => id));
  return [
    ...needReason
      .filter(({ id }) => !(id in reasons))
      .map(
        ({ id, path, tables }) =>
          `${path}: "${id}" is a statement on ${tables.join(', ')}. Use Prisma, or add the reason to REASONS in this check`,
      ),
    ...Object.keys(reasons)
      .filter((id) => !ids.has(id))
      .map(
        (id) => `REASONS names "${id}", which no longer exists or is now on a money table. Remove its entry`,
      ),
  ];
}

describe('statements on money tables', () => {
  it('are only in files named *.sql.ts', () => {
    const statement = inSql('FROM|JOIN|INTO|UPDATE', MONEY_TABLES);
    expect(naming(statement).filter((path) => !path.endsWith('.sql.ts'))).toEqual([]);
    expect(naming(statement, sqlFiles).length).toBeGreaterThan(8);
  });

  it('never use Prisma', () => {
    const money = models.filter(({ table }) => MONEY.has(table)).map(({ delegate }) => delegate);
    expect(money).toHaveLength(MONEY.size);
    expect(naming(calling(money))).toEqual([]);
  });

  it('list their columns', () => {
    expect(naming(/(?:SELECT|RETURNING) (?:\w+\.)?\*/, sqlFiles)).toEqual([]);
  });

  it('change a donation in two files only: the write path, and the batch recorder', () => {
    expect(naming(inSql('INTO|UPDATE', ['donation'])).sort()).toEqual([
      'donations/recording/donation-recorder.sql.ts',
      'donations/store/donations.sql.ts',
    ]);
  });

  it('read and write the totals in one file', () => {
    // The list of required privileges contains these names, but its file neither reads nor writes the tables.
    const others = files.filter(({ path }) => path !== 'data/schema/ownership.ts');
    expect(naming(/\bevent_(?:total|donor)\b/, others)).toEqual(['totals/totals.sql.ts']);
    const statement = inSql('FROM|JOIN|INTO|UPDATE', ['event_total', 'event_donor']);
    expect(naming(statement)).toEqual(['totals/totals.sql.ts']);
  });
});

/** Matches Prisma calls for any of these models. */
const calling = (delegates: readonly string[]) =>
  new RegExp(
    `\\b(?:${delegates.join('|')})\\s*\\.(?:find|create|update|upsert|delete|count|aggregate|groupBy)\\w*\\(`,
  );

describe('tables outside money', () => {
  it('use Prisma, and use a statement only for a listed reason', () => {
    expect(problemsOf(files, REASONS)).toEqual([]);
  });

  it('use Prisma for every model', () => {
    const unused = outside.filter(({ delegate }) => naming(calling([delegate])).length === 0);
    expect(unused.map(({ delegate }) => delegate).sort()).toEqual(Object.keys(WITHOUT_DELEGATE).sort());
  });
});

describe('the check of tables outside money', () => {
  const problems = (text: string, more: readonly Source[] = []) =>
    problemsOf([{ path: 'users/some.ts', text }, ...more], {});

  it.each([
    [
      'a named statement',
      "export const ALL = { name: 'admins_all', text: 'SELECT id FROM admin' };",
      'admins_all',
    ],
    [
      'a write',
      "const A = { name: 'renamed', text: 'UPDATE staff_member SET name = $2 WHERE id = $1' };",
      'renamed',
    ],
    [
      'a statement without a name',
      'await client.query(`DELETE FROM admin WHERE id = $1`, [id]);',
      'users/some.ts',
    ],
    [
      'a statement with its text in a variable',
      "const text = 'SELECT 1 FROM admin';\nconst A = { name: 'short', text };",
      'short',
    ],
    [
      'a table name from a call',
      'const of = (table: string) => ({ name: `of_${table}`, text: `SELECT 1 FROM ${table}` });',
      'of_${table}',
    ],
  ])('refuses %s', (_, text, id) => {
    expect(problems(text)).toEqual([expect.stringContaining(`users/some.ts: "${id}" is a statement on`)]);
  });

  it('reads interpolated texts, also from other files', () => {
    const parts = { path: 'users/parts.ts', text: "export const ROWS = 'SELECT id FROM staff_member';" };
    const text =
      "import { ROWS as OF } from './parts.js';\nexport const A = { name: 'ids', text: `${OF} ORDER BY id` };";
    expect(problems(text, [parts])).toEqual([
      expect.stringContaining('"ids" is a statement on staff_member'),
    ]);
  });

  it('allows a statement that joins a money table, and a statement with a reason', () => {
    const text = 'SELECT 1 FROM admin JOIN donation ON true';
    expect(problems(`const A = { name: 'joined', text: '${text}' };`)).toEqual([]);
    const source = {
      path: 'users/some.ts',
      text: "const A = { name: 'locked', text: 'SELECT 1 FROM admin FOR UPDATE' };",
    };
    expect(problemsOf([source], { locked: 'a row lock' })).toEqual([]);
  });

  it('asks to remove the entry of a deleted statement', () => {
    expect(problemsOf([], { locked: 'a row lock' })).toEqual([
      'REASONS names "locked", which no longer exists or is now on a money table. Remove its entry',
    ]);
  });
});
