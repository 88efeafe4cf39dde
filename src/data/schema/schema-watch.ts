import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CommittedChanges } from '../../common/caching/committed-changes.js';
import { AppConfig } from '../../config/app-config.js';
import { Database } from '../database.js';
import { SchemaCheck } from './schema-check.js';

/** Interval of checks, for migrations by other tools. The service's own migrations send a notification. */
const LOOK_MS = 2_000;

/**
 * Detects that the database has a schema unknown to this server, for example after a migration by a newer release. From then
 * on, the server writes nothing, even if it still gets requests, because its writes may be wrong in the new schema.
 */
@Injectable()
export class SchemaWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(SchemaWatch.name);
  private problem: string | undefined;
  private running = Promise.resolve();
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly schema: SchemaCheck,
    private readonly database: Database,
    private readonly changes: CommittedChanges,
  ) {}

  get isUnknown(): boolean {
    return this.problem !== undefined;
  }

  onApplicationBootstrap(): void {
    this.changes.onChange((subject) => {
      if (subject === undefined) void this.check();
    });
    if (this.config.schedules) this.timer = setInterval(() => void this.check(), LOOK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Compares the schema now. While the database does not answer, the last result stays valid. */
  check(): Promise<void> {
    // All callers share the next check until this check begins.
    this.next ??= this.running.then(() => {
      this.next = undefined;
      this.running = this.look();
      return this.running;
    });
    return this.next;
  }

  private async look(): Promise<void> {
    let found: string | undefined;
    try {
      found = await this.schema.problem();
    } catch {
      return;
    }
    if (found === this.problem) return;
    this.problem = found;
    this.database.refuseWrites(found !== undefined);
    if (found === undefined)
      this.logger.log('The database schema belongs to this release again; writes resumed');
    else this.logger.error(`${found} This server is read-only until then.`);
  }
}
