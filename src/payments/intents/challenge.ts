import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Counters } from '../../redis/counters.js';
import { clientAddress } from '../../common/http/client-address.js';

const TIMEOUT_MS = 5_000;
const MINUTE = 60;
const MAX_TOKEN = 2_048;
/** Solved challenges of one address a minute: people solve them for programs, too. */
const SOLVED_A_MINUTE = 10;

/** Who starts a payment. */
export interface Visitor {
  readonly ip: string | undefined;
  /** The answer to a challenge, which the verifying service takes once. */
  readonly challengeToken?: string | undefined;
}

/**
 * Where a budget is used up, a person may show to be one instead of being refused. Off unless it is configured. The
 * service asked is any that takes `secret`, `response` and `remoteip` as a form and answers `{ "success": true }`.
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

  /** Whether the visitor solved one; false where that cannot be known just now. Asked once for each request. */
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
      this.logger.warn(`The challenge could not be checked: ${(error as Error).message}`);
      return false;
    }
  }
}
