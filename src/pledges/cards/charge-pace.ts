import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** At most three charges in a second. Banks and providers treat a burst of charges as an attack. Tests set a shorter time. */
@Injectable()
export class ChargePace {
  betweenMs = 334;
  private last = 0;

  /** Waits until the next charge may begin. */
  async next(): Promise<void> {
    const wait = this.last + this.betweenMs - performance.now();
    if (wait > 0) await sleep(wait);
    this.last = performance.now();
  }
}
