import type pg from 'pg';
import type { Statement } from './database.js';

/** A statement and what it is about; a Date goes as its instant. */
export interface Call {
  readonly statement: Statement;
  readonly values: readonly (string | number | bigint | Date | null)[];
}

/** A row as the server writes it, column by column: `t` and `f` for booleans. */
export type TextRow = readonly (string | null)[];

/** What of a connection is used here, as the library's own cursors use it. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  /** Texts by name, as the server has prepared them on this connection. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(query: { name: string; text: string; types: readonly number[] }): void;
  bind(call: { statement: string; values: readonly (string | null)[] }): void;
  execute(how: object): void;
  sync(): void;
}

/**
 * Statements that are sent in one packet and answered in one: one transaction without BEGIN and COMMIT, of which all is
 * committed or nothing. Each begins when the one before it has ended, and so, under READ COMMITTED, sees what was
 * committed until then: what was waited for at a lock is seen by the statement behind it. The rows are the last one's.
 */
export class StatementsTogether implements pg.Submittable {
  private readonly rows: TextRow[] = [];
  private at = 0;

  /** @param callback called once, with one of the two */
  constructor(
    readonly calls: readonly Call[],
    public callback: (error: Error | null, rows?: TextRow[]) => void,
  ) {}

  /** Of the statement whose answer is read now: under this name the library remembers that it was prepared. */
  get name(): string | undefined {
    return this.calls[this.at]?.statement.name;
  }

  get text(): string | undefined {
    return this.calls[this.at]?.statement.text;
  }

  submit(given: pg.Connection): void {
    const connection = given as unknown as Connection;
    connection.stream.cork();
    try {
      for (const { statement, values } of this.calls) {
        const { name, text } = statement;
        if (connection.parsedStatements[name] === undefined) connection.parse({ name, text, types: [] });
        connection.bind({ statement: name, values: values.map(inText) });
        connection.execute({});
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    if (this.at === this.calls.length - 1) this.rows.push(fields);
  }

  handleCommandComplete(): void {
    this.at++;
  }

  handleReadyForQuery(): void {
    this.callback(null, this.rows);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

function inText(value: Call['values'][number]): string | null {
  if (value === null) return null;
  return value instanceof Date ? value.toISOString() : String(value);
}
