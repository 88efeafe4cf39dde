import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../common/caching/bounded-cache.js';
import { TokenBucket } from '../../common/concurrency/token-bucket.js';
import { Counters } from '../../redis/counters.js';

/** Minimum time between two requests about the same payment. */
const REST_SECONDS = 1;
/**
 * Budget of this process for requests about all payments. Providers allow an account only a few dozen reads per
 * second.
 */
const BUDGET = { burst: 50, perSecond: 20 };
const REMEMBERED = 10_000;
/** Number of tries when another process has just asked about the same payment. */
const TRIES = 2;

interface Question {
  /** Time of the request, from `performance.now()`. */
  readonly askedAt: number;
  /** After this time the provider may be asked again. */
  restsUntil: number;
  readonly answer: Promise<unknown>;
}

/**
 * Limits the provider requests that donors cause when they look at a payment. All processes with the same Redis
 * together send one request per payment and second. Each process also has a budget. Donors who look at the same time
 * receive the same answer.
 */
@Injectable()
export class ProviderQuestions {
  private readonly questions = boundedCache<Question>(REMEMBERED);
  private readonly budget = new TokenBucket(BUDGET.burst, BUDGET.perSecond);

  constructor(private readonly counters: Counters) {}

  /**
   * @param notBefore time from `performance.now()`. An answer to an earlier request is not used, because the donor
   *   has just paid; the method waits and asks again
   * @returns undefined if the limits do not allow a request now
   */
  async ask<Answer>(
    payment: string,
    work: () => Promise<Answer>,
    { notBefore = -Infinity }: { readonly notBefore?: number } = {},
  ): Promise<Answer | undefined> {
    for (;;) {
      const last = this.questions.get(payment);
      if (!last || last.restsUntil <= performance.now()) return await this.start(payment, work);
      // All requests about one payment are the same, so they can share an answer.
      if (last.askedAt >= notBefore) return (await last.answer) as Answer | undefined;
      await last.answer.catch(() => undefined);
      await pause(Math.max(1, last.restsUntil - performance.now()));
    }
  }

  private async start<Answer>(payment: string, work: () => Promise<Answer>): Promise<Answer | undefined> {
    const answer = this.answer(payment, work, () => {
      question.restsUntil = performance.now() + REST_SECONDS * 1_000;
    });
    const question: Question = { askedAt: performance.now(), restsUntil: Infinity, answer };
    this.questions.set(payment, question);
    return await answer;
  }

  private async answer<Answer>(
    payment: string,
    work: () => Promise<Answer>,
    rest: () => void,
  ): Promise<Answer | undefined> {
    try {
      return (await this.mayAsk(payment)) ? await work() : undefined;
    } finally {
      rest();
    }
  }

  private async mayAsk(payment: string): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const { allowed, resetSeconds } = await this.counters.hit(`asked:${payment}`, 1, REST_SECONDS);
      if (allowed) return this.budget.take();
      if (tries === TRIES) return false;
      await pause(resetSeconds * 1_000);
    }
  }
}
