import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Counters } from '../../redis/counters.js';
import { clientAddress } from '../../common/http/client-address.js';

const TIMEOUT_MS = 5_000;
const MINUTE = 60;
const MAX_TOKEN = 2_048;
/** Maximum number of accepted challenges per address and minute, because bots can pay people to solve challenges. */
const SOLVED_A_MINUTE = 10;

/** The visitor who starts a payment. */
export interface Visitor {
  readonly ip: string | undefined;
  /** The visitor's answer to a challenge. The verifying service accepts each answer only once. */
  readonly challengeToken?: string | undefined;
}

/**
 * Checks challenges. If a payment budget is used up, a visitor can solve a challenge and then pay. Challenges are off
 * by default. Works with any service that accepts a form with `secret`, `response` and `remoteip`, and answers `{
 * "success": true }`.
 */
@Injectable()
export class Challenge {
  private readonly logger = new Logger(Challenge.name);
  private readonly asked = new WeakMap<Visitor, Promise<boolean>>();

  constructor(
    private readonly config: AppConfig,
    private readonly counters: Counters,
  ) {}

  get siteKey(): string | undefined {
    return this.config.challenge?.siteKey;
  }

  /**
   * True if the visitor solved a challenge; false if the service cannot be reached. Asks the service once per
   * request.
   */
  solved(visitor: Visitor): Promise<boolean> {
    let answer = this.asked.get(visitor);
    if (!answer) {
      answer = this.ask(visitor);
      this.asked.set(visitor, answer);
    }
    return answer;
  }

  private async ask({ ip, challengeToken: token }: Visitor): Promise<boolean> {
    const { challenge } = this.config;
    if (!challenge || !token || token.length > MAX_TOKEN) return false;
    const key = `rate:challenge:${clientAddress(ip)}`;
    if (!(await this.counters.hit(key, SOLVED_A_MINUTE, MINUTE)).allowed) return false;
    const body = new URLSearchParams({ secret: challenge.secret, response: token });
    if (ip !== undefined) body.set('remoteip', ip);
    try {
      const answer = await fetch(challenge.verifyUrl, {
        method: 'POST',
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const { success } = (await answer.json()) as { success?: unknown };
      return answer.ok && success === true;
    } catch (error) {
      await this.counters.takeBack(key, MINUTE);
      this.logger.warn(`Challenge verification failed: ${(error as Error).message}`);
      return false;
    }
  }
}
