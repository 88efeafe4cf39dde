import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../common/caching/bounded-cache.js';
import { TokenBucket } from '../../common/concurrency/token-bucket.js';
import { Counters } from '../../redis/counters.js';

/** So long nobody asks about the same payment again. */
const REST_SECONDS = 1;
/** Questions of this process about all payments together: providers limit an account to some dozens of reads a second. */
const BUDGET = { burst: 50, perSecond: 20 };
const REMEMBERED = 10_000;
/** How often a question waits for another process that has just asked the same. */
const TRIES = 2;

interface Question {
  /** Times by `performance.now()`. */
  readonly askedAt: number;
  /** From then on the provider may be asked again. */
  restsUntil: number;
  readonly answer: Promise<unknown>;
}

/**
 * Questions to the providers that donors cause by looking at a payment: one a second for each payment, over all processes that
 * share a Redis, and a bounded number for this process. Those who look meanwhile share the answer.
 */
@Injectable()
export class ProviderQuestions {
  private readonly questions = boundedCache<Question>(REMEMBERED);
  private readonly budget = new TokenBucket(BUDGET.burst, BUDGET.perSecond);

  constructor(private readonly counters: Counters) {}

  /**
   * @param notBefore for who has just paid: an answer to an earlier question is waited out, not shared
   * @returns undefined where the provider may not be asked at this moment
   */
  async ask<Answer>(
    payment: string,
    work: () => Promise<Answer>,
    { notBefore = -Infinity }: { readonly notBefore?: number } = {},
  ): Promise<Answer | undefined> {
    for (;;) {
      const last = this.questions.get(payment);
      if (!last || last.restsUntil <= performance.now()) return await this.start(payment, work);
      // Everybody asks the same about one payment.
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
