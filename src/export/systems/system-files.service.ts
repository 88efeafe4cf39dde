import { Injectable } from '@nestjs/common';
import { Database } from '../../data/database.js';
import { ExportThread } from '../../documents/thread/export-thread.js';
import { threadFile } from '../../documents/thread/thread-file.js';
import type { ThreadStream } from '../../documents/thread/thread-messages.js';
import type { DonationCondition } from '../../donations/list/donation-condition.js';
import { copyBatches } from '../copy-batches.js';
import type { GiftDefaults } from './gifts.sql.js';
import type { FileBatch, FilesToPack } from './pack-system-files.js';
import { readmeOf } from './readmes.js';
import { filesOf, systemFileCopy } from './system-files.sql.js';
import type { System } from './system-names.js';

const PACK: ThreadStream<FilesToPack, FileBatch, never> = {
  file: threadFile('export/systems/pack-system-files.js'),
  name: 'packSystemFiles',
};

/** Streams donations as a ZIP with the files that another system imports. The export thread packs it, at the client's speed. */
@Injectable()
export class SystemFiles {
  constructor(
    private readonly database: Database,
    private readonly thread: ExportThread,
  ) {}

  /** Yields the ZIP in pieces. A piece is valid until the caller asks for the next one. Uses a database connection until the end. */
  zip(
    system: System,
    condition: DonationCondition,
    defaults: GiftDefaults,
  ): AsyncGenerator<Buffer, void, undefined> {
    const files = filesOf(system, defaults);
    const input = {
      readme: readmeOf(system, files),
      names: files.map(({ name }) => name),
      createdAt: new Date(),
    };
    const statements = files.map((file) => systemFileCopy(file, condition, defaults));
    return this.thread.stream(PACK, input, {
      batches: this.rows(statements),
      onNote: () => undefined,
    });
  }

  private async *rows(statements: readonly string[]): AsyncGenerator<FileBatch, void, undefined> {
    const client = await this.database.connectForStream('donations-export');
    try {
      // One snapshot for all files: each donation in one file has its contact in the other.
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      for (const [file, statement] of statements.entries())
        for await (const rows of copyBatches(client, statement)) yield { file, rows };
    } finally {
      // Closing the connection also ends an unfinished COPY.
      await client.end();
    }
  }
}
