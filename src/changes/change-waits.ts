import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SessionService } from '../auth/sessions/session.service.js';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { type Principal, reachesEvent, type SessionSubject, subjectOf } from '../common/access/principal.js';

/** Maximum number of waiting requests. Further requests get their answer at once. */
const MOST = { ofCaller: 5, ofProcess: 200 };

/** A request that waits for a change. It holds no database connection. */
export class ChangeWait {
  private isRaised = false;
  private wake: (() => void) | undefined;
  private hasEnded = false;
  /** True if the sign-in of the caller ended. */
  isRevoked = false;

  constructor(readonly caller: Principal) {}

  raise(): void {
    this.isRaised = true;
    this.wake?.();
  }

  end(): void {
    this.hasEnded = true;
    this.raise();
  }

  /** True if the request must not wait any more: the client is gone, or the server stops. */
  isOver(): boolean {
    return this.hasEnded;
  }

  revoke(): void {
    this.isRevoked = true;
    this.raise();
  }

  /** Waits until the next `raise`. Returns at once if there was one since the last call. */
  async next(milliseconds: number): Promise<void> {
    if (!this.isRaised)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.wake = undefined;
    this.isRaised = false;
  }
}

/** Wakes waiting requests after commits about events that they may see. */
@Injectable()
export class ChangeWaits implements OnModuleDestroy {
  private readonly waits = new Set<ChangeWait>();
  private isStopping = false;
  private readonly stopListening: () => void;

  constructor(changes: CommittedChanges, sessions: SessionService) {
    changes.onChange((subject) => {
      for (const wait of this.waits)
        if (subject === undefined || reachesEvent(wait.caller, subject)) wait.raise();
    });
    this.stopListening = sessions.onRevoked((subject: SessionSubject) => {
      for (const wait of this.waits) if (subject === subjectOf(wait.caller)) wait.revoke();
    });
  }

  /** Returns undefined if too many requests wait already. Call `leave` at the end of the request. */
  join(caller: Principal): ChangeWait | undefined {
    const own = [...this.waits].filter((wait) => wait.caller.id === caller.id).length;
    if (this.isStopping || own >= MOST.ofCaller || this.waits.size >= MOST.ofProcess) return undefined;
    const wait = new ChangeWait(caller);
    this.waits.add(wait);
    return wait;
  }

  leave(wait: ChangeWait): void {
    this.waits.delete(wait);
  }

  /** Number of requests that wait now. */
  get size(): number {
    return this.waits.size;
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    this.stopListening();
    for (const wait of this.waits) wait.end();
  }
}
