import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { newId } from '../../common/crypto/ids.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { AppConfig } from '../../config/app-config.js';
import { Database, type Transaction } from '../../data/database.js';
import { Mailer } from '../../mail/mailer.service.js';
import { OutboxRelay } from '../../outbox/outbox-relay.js';
import { raiseReviewItem, settleReviewItem } from '../../review/review-items.js';
import { FullBodies } from './full-bodies.service.js';
import { signedHeaders } from './signature.js';
import { sendWebhook, type WebhookAnswer } from './webhook-request.js';
import { nextWaitMs } from './retries.js';
import {
  ADMINS,
  CLAIM,
  CLAIM_TEST,
  type ClaimedMessage,
  FINISH,
  INSERT_ATTEMPT,
  LOCK_ENDPOINT,
  NOTE_FAILURE,
  NOTE_SUCCESS,
  PRUNE,
  SKIP_WAITING,
  STOP,
  TRIM_ATTEMPTS,
} from '../webhooks.sql.js';

/** Messages in flight for each endpoint. */
const IN_FLIGHT = 2;
const PRUNE_EVERY_MS = 60 * 60_000;
const PRUNE_BATCH = 2_000;
const GONE = 410;
/** The receiver answered that the endpoint no longer exists, or accepted nothing for days. */
type DisabledReason = 'gone' | 'failing';

/**
 * Sends the messages of the webhooks, in the leading process. It reserves a message, sends it without an open transaction, and
 * writes the result. If the process ends in between, the reservation expires and the message is sent again with the same id.
 * Slow receivers wait only for their own endpoint: each has two messages in flight.
 */
@Injectable()
export class WebhookSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookSender.name);
  private timer: NodeJS.Timeout | undefined;
  /** Messages in flight, by endpoint. */
  private readonly busy = new Map<string, number>();
  private readonly sending = new Set<Promise<void>>();
  private looking: Promise<void> | undefined;
  private again = false;
  private stopping = false;
  private isDown = false;
  private prunedAt = -Infinity;

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly keys: KeyRing,
    private readonly bodies: FullBodies,
    private readonly mailer: Mailer,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.look();
    }, this.config.webhooks.times.lookMs);
  }

  /** Does not wait for slow receivers: the next leader sends their messages again. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.looking;
    await Promise.race([
      Promise.all(this.sending),
      new Promise((resolve) => setTimeout(resolve, 1_000).unref()),
    ]);
  }

  /** Sends what is due, if this process leads. This call is cheap. */
  look(): void {
    if (this.stopping || this.isPaused || !this.relay.isLeader) return;
    this.again = true;
    this.looking ??= this.run().finally(() => (this.looking = undefined));
  }

  /** A restored copy must not send messages of the original. */
  private get isPaused(): boolean {
    return this.config.webhooks.isOff;
  }

  /**
   * Sends one test message now, even to a stopped endpoint.
   * @returns undefined if the message no longer exists
   */
  async sendTest(messageId: string): Promise<WebhookAnswer | undefined> {
    const [message] = await this.database.query<ClaimedMessage>(CLAIM_TEST, [messageId, this.lease]);
    if (!message) return undefined;
    const answer = await this.attempt(message);
    const state = answer.isSuccess ? 'delivered' : 'failed';
    await this.database.transaction(async (tx) => {
      await tx.query(FINISH, [...claimOf(message), state, '0', answer.status, answer.error]);
      this.writeAttempt(tx, message, answer);
    });
    return answer;
  }

  /** Deletes messages after 30 days. */
  async prune(): Promise<void> {
    while ((await this.database.query(PRUNE, [PRUNE_BATCH])).length === PRUNE_BATCH);
    this.prunedAt = performance.now();
  }

  private get lease(): string {
    return interval(this.config.webhooks.times.leaseMs);
  }

  private async run(): Promise<void> {
    while (this.again && !this.stopping) {
      this.again = false;
      try {
        if (performance.now() - this.prunedAt > PRUNE_EVERY_MS) await this.prune();
        const claimed = await this.database.query<ClaimedMessage>(CLAIM, [
          IN_FLIGHT,
          [...this.busy.keys()],
          [...this.busy.values()],
          this.lease,
        ]);
        for (const message of claimed) this.start(message);
        if (this.isDown) this.logger.log('Webhooks resumed');
        this.isDown = false;
      } catch (error) {
        if (!this.isDown) this.logger.warn({ msg: 'Webhooks cannot be read', err: error });
        this.isDown = true;
      }
    }
  }

  private start(message: ClaimedMessage): void {
    const { endpoint_id: endpoint } = message;
    this.busy.set(endpoint, (this.busy.get(endpoint) ?? 0) + 1);
    const sending = this.deliver(message)
      .catch((error: unknown) => {
        this.logger.error({ msg: 'The result of a webhook was not stored', message: message.id, err: error });
      })
      .finally(() => {
        this.sending.delete(sending);
        const left = (this.busy.get(endpoint) ?? 1) - 1;
        if (left > 0) this.busy.set(endpoint, left);
        else this.busy.delete(endpoint);
        this.look();
      });
    this.sending.add(sending);
  }

  private async deliver(message: ClaimedMessage): Promise<void> {
    const answer = await this.attempt(message);
    const reason = await this.database.transaction((tx) => this.store(tx, message, answer));
    if (reason !== undefined)
      this.logger.error({ msg: 'Webhook endpoint disabled', endpoint: message.endpoint_id, reason });
  }

  private async attempt(message: ClaimedMessage): Promise<WebhookAnswer> {
    const { webhooks } = this.config;
    const secrets = [message.secret_sealed, message.old_secret_sealed].flatMap((sealed) =>
      sealed === null ? [] : [this.keys.open('webhook-seal', sealed)],
    );
    const body = message.payload === 'full' ? await this.bodies.of(message) : message.body;
    return await sendWebhook(
      {
        url: message.url,
        body,
        headers: signedHeaders(secrets, { id: message.id, body, at: new Date() }),
        keepsAnswer: message.payload === 'thin',
      },
      webhooks,
      webhooks.times.answerMs,
    );
  }

  /** @returns the reason if the endpoint was disabled */
  private async store(
    tx: Transaction,
    message: ClaimedMessage,
    answer: WebhookAnswer,
  ): Promise<DisabledReason | undefined> {
    const wait = nextWaitMs(this.config.webhooks.times.waitsMs, message.attempts, answer, Math.random());
    const isGone = answer.status === GONE;
    const state = answer.isSuccess ? 'delivered' : wait === undefined || isGone ? 'failed' : 'waiting';
    // The endpoint is locked before its messages, as when it is stopped.
    await tx.query(LOCK_ENDPOINT, [message.endpoint_id]);
    const [stored] = await tx.query(FINISH, [
      ...claimOf(message),
      state,
      interval(wait ?? 0),
      answer.status,
      answer.error,
    ]);
    // The reservation is over: another process sends the message.
    if (!stored) return undefined;
    this.writeAttempt(tx, message, answer);
    if (answer.isSuccess) {
      tx.write(NOTE_SUCCESS, [message.endpoint_id]);
      return undefined;
    }
    const [failing] = await tx.query<{ is_over: boolean }>(NOTE_FAILURE, [message.endpoint_id]);
    const reason = isGone ? 'gone' : failing?.is_over ? 'failing' : undefined;
    if (reason === undefined) return undefined;
    if (!(await disableEndpoint(tx, message.endpoint_id, reason))) return undefined;
    const admins = await tx.query<{ id: string }>(ADMINS);
    this.mailer.enqueueWebhookDisabled(
      tx,
      message.endpoint_id,
      admins.map(({ id }) => id),
    );
    return reason;
  }

  private writeAttempt(tx: Transaction, message: ClaimedMessage, answer: WebhookAnswer): void {
    const { isSuccess, status, milliseconds, error } = answer;
    tx.write(INSERT_ATTEMPT, [
      newId(),
      message.id,
      message.endpoint_id,
      isSuccess,
      status,
      milliseconds,
      error,
    ]);
    if (message.attempts > 1) tx.write(TRIM_ATTEMPTS, [message.id]);
  }
}

/** Disables an endpoint that does not accept messages, and opens a review item. */
async function disableEndpoint(tx: Transaction, id: string, reason: DisabledReason): Promise<boolean> {
  const stopped = await tx.query(STOP, [id, 'disabled', reason]);
  if (stopped.length === 0) return false;
  tx.write(SKIP_WAITING, [id]);
  await raiseReviewItem(tx, { kind: 'webhook_disabled', subject: id, donationId: null, detail: { reason } });
  return true;
}

/** Closes the review item of an endpoint that was enabled or deleted. */
export const settleDisabled = (tx: Transaction, id: string): Promise<void> =>
  settleReviewItem(tx, 'webhook_disabled', id);

export const interval = (milliseconds: number): string => `${Math.round(milliseconds)} milliseconds`;

const claimOf = ({ id, claimed_until }: ClaimedMessage): [string, Date] => [id, claimed_until];
