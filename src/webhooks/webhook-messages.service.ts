import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { AppConfig } from '../config/app-config.js';
import { Database } from '../data/database.js';
import {
  type ListWebhookMessages,
  type ReplayedWebhooks,
  type ReplayWebhooks,
  type ResentWebhook,
  toMessage,
  type WebhookMessageList,
  type WebhookTestDto,
} from './dto/webhook-message.dto.js';
import { interval, WebhookSender } from './sending/webhook-sender.service.js';
import { endpointOf, lockEndpoint, MOST_REPLAYED } from './webhook-endpoints.service.js';
import { newMessageId } from './message-id.js';
import { insertValues } from './webhook-messages.js';
import {
  ATTEMPTS_OF,
  type AttemptRow,
  INSERT_MESSAGES,
  type MessageRow,
  MESSAGES,
  REPLAY,
  RESEND,
} from './webhooks.sql.js';

const DEFAULT_LIMIT = 50;

/** The messages of an endpoint: list, test, and repeated sending. */
@Injectable()
export class WebhookMessages {
  constructor(
    private readonly database: Database,
    private readonly config: AppConfig,
    private readonly audit: Audit,
    private readonly sender: WebhookSender,
  ) {}

  async list(id: string, query: ListWebhookMessages): Promise<WebhookMessageList> {
    await endpointOf(this.database, id);
    const { states, topic, cursor, limit = DEFAULT_LIMIT } = query;
    const rows = await this.database.query<MessageRow>(MESSAGES, [
      id,
      states ?? null,
      topic ?? null,
      cursor ?? null,
      limit + 1,
    ]);
    const shown = rows.slice(0, limit);
    const ids = shown.map((row) => row.id);
    const attempts = ids.length > 0 ? await this.database.query<AttemptRow>(ATTEMPTS_OF, [ids]) : [];
    return {
      data: shown.map((row) => toMessage(row, attempts)),
      nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  }

  /** Sends a test message and waits for the answer of the receiver. */
  async test(id: string): Promise<WebhookTestDto> {
    const message = await this.database.transaction(async (tx) => {
      await lockEndpoint(tx, id);
      const made = { id: newMessageId(), endpointId: id, fact: 0, state: 'failed' as const };
      const fact = {
        topic: 'test.ping' as const,
        eventId: null,
        subjectId: null,
        occurredAt: new Date(),
        data: { message: 'Test message', endpointId: id },
      };
      // The state keeps the message out of the queue.
      await tx.query(INSERT_MESSAGES, insertValues([fact], [made]));
      return made;
    });
    const answer = await this.sender.sendTest(message.id);
    const { status = null } = answer ?? {};
    return {
      messageId: message.id,
      isSuccess: answer?.isSuccess ?? false,
      status,
      milliseconds: answer?.milliseconds ?? 0,
      error: answer?.error ?? null,
    };
  }

  /** @throws NotFoundError `WEBHOOK_MESSAGE_NOT_FOUND`, also for a test message */
  async resend(caller: Principal, id: string, message: string): Promise<ResentWebhook> {
    await this.database.transaction(async (tx) => {
      await lockEndpoint(tx, id);
      if ((await tx.query(RESEND, [id, message])).length === 0)
        throw new NotFoundError('WEBHOOK_MESSAGE_NOT_FOUND', 'There is no such message to send again');
      await this.audit.record(actorOf(caller), 'webhook.replay', id, { messages: 1 }, tx);
      tx.afterCommit(() => {
        this.sender.look();
      });
    });
    return { id: message, state: 'waiting' };
  }

  /** Sends the messages of a period again, with the same ids. */
  async replay(caller: Principal, id: string, sent: ReplayWebhooks): Promise<ReplayedWebhooks> {
    const { from, states = ['failed'] } = sent;
    const to = sent.to ?? new Date().toISOString();
    return await this.database.transaction(async (tx) => {
      await lockEndpoint(tx, id);
      const pause = interval(this.config.webhooks.times.replayMs);
      const values = [id, new Date(from), new Date(to), states, pause, MOST_REPLAYED];
      const { length: messages } = await tx.query(REPLAY, values);
      await this.audit.record(actorOf(caller), 'webhook.replay', id, { messages, from, to }, tx);
      tx.afterCommit(() => {
        this.sender.look();
      });
      return { messages };
    });
  }
}
