import type { Enrolment, HeartbeatAnswer } from '../../src/terminals/dto/terminal.dto.js';
import { ApiError, ask, NoAnswer } from './api.js';
import type { Database } from './database.js';
import { model } from './model.js';
import { type Tabs, tabs } from './tabs.js';
import { Value } from './value.js';

/** The enrolment of this device. */
export interface Terminal {
  readonly id: string;
  readonly name: string;
  readonly eventId: string | null;
  readonly deviceToken: string;
  /** With a release of an administrator: the signed-in member can send records of others taken before this time. */
  readonly releasedBefore?: string | null;
}

const META = 'terminal';

/** The terminal of this device, if an administrator has enrolled it. */
export class Terminals {
  readonly terminal = new Value<Terminal | null>(null);
  /** True if an administrator has blocked this terminal. It must be enrolled again; waiting records stay on it. */
  readonly revoked = new Value(false);
  /** The rehearsal that the server offers; null if there is none, undefined before the first heartbeat. */
  readonly rehearsal = new Value<HeartbeatAnswer['rehearsal'] | undefined>(undefined);
  private readonly tabs: Tabs;

  constructor(private readonly database: Database) {
    this.tabs = tabs('pos-terminal', () => void this.load().catch(() => undefined));
  }

  async load(): Promise<void> {
    this.terminal.set((await this.database.read(['meta'], (tx) => tx.get<Terminal>('meta', META))) ?? null);
  }

  isReleased(recordedAt: string): boolean {
    const before = this.terminal.now?.releasedBefore;
    return typeof before === 'string' && recordedAt < before;
  }

  async enrol(code: string): Promise<Terminal> {
    const { terminal, deviceToken } = await ask<Enrolment>('/terminals/enrol', {
      method: 'POST',
      body: { code },
    });
    const { id, name, eventId } = terminal;
    const kept: Terminal = { id, name, eventId, deviceToken };
    await this.keep(kept);
    this.revoked.set(false);
    return kept;
  }

  /**
   * Reports to the server that this terminal is active.
   * @returns true if the server was reached
   */
  async beat(waiting: number, staffId: string | undefined): Promise<boolean> {
    const { now } = this.terminal;
    try {
      if (!now) {
        await ask('/health/live');
        return true;
      }
      const { terminal, release, rehearsal } = await ask<HeartbeatAnswer>('/terminals/heartbeat', {
        method: 'POST',
        device: now.deviceToken,
        body: { waiting, appVersion: model.version, ...(staffId !== undefined && { staffId }) },
      });
      const releasedBefore = release?.before ?? null;
      if (this.rehearsal.now?.eventId !== rehearsal?.eventId || !rehearsal) this.rehearsal.set(rehearsal);
      if (terminal.name !== now.name || releasedBefore !== (now.releasedBefore ?? null))
        await this.keep({ ...now, name: terminal.name, releasedBefore });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'TERMINAL_REVOKED') {
        this.revoked.set(true);
        await this.keep(null);
      }
      return !(error instanceof NoAnswer) || error.reached;
    }
  }

  /** Removes the release of an administrator, because it has ended on the server. */
  async withdrawRelease(): Promise<void> {
    const { now } = this.terminal;
    if (now) await this.keep({ ...now, releasedBefore: null });
  }

  private async keep(terminal: Terminal | null): Promise<void> {
    await this.database.write(['meta'], (tx) => {
      if (terminal) tx.put('meta', terminal, META);
      else tx.delete('meta', META);
    });
    this.terminal.set(terminal);
    this.tabs.announce();
  }
}
