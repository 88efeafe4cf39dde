import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CommittedChanges } from '../../common/caching/committed-changes.js';
import { AppConfig } from '../../config/app-config.js';
import { Database } from '../database.js';
import { SchemaCheck } from './schema-check.js';

/** For migrations by other tools; ours notify, and are noticed at once. */
const LOOK_MS = 2_000;

/**
 * Notices that the database was migrated below this server to a schema that it does not know, as by a newer release.
 * From then on it writes nothing, whether or not a balancer takes it out: what it would write may be wrong there.
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

  /** Compares now. While the database does not answer, the last comparison stands. */
  check(): Promise<void> {
    // A look that has not begun yet serves everybody who asks meanwhile.
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
      this.logger.log('The database schema is that of this release again: writing goes on');
    else this.logger.error(`${found} Until then this server only reads.`);
  }
}
