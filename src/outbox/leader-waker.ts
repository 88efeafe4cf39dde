import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../data/database.js';
import { WAKE } from './outbox.sql.js';

/** Time for which one notification covers all commits. */
const COALESCE_MS = 20;

/**
 * Wakes the relay of another instance. Sends one notification at a time, in a separate transaction. Inside the donation's
 * transaction, a notification would make all commits of the database wait for each other.
 */
@Injectable()
export class LeaderWaker {
  private running = false;
  private again = false;

  constructor(private readonly database: Database) {}

  /** This call is cheap, so it may be called for every donation. */
  wake(): void {
    this.again = true;
    if (!this.running) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      while (this.again) {
        this.again = false;
        await this.database.query(WAKE);
        await pause(COALESCE_MS);
      }
    } catch {
      // The leader looks by itself every second.
    } finally {
      this.running = false;
    }
  }
}
