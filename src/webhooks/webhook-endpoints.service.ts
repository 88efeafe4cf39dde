import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { isId, newId } from '../common/crypto/ids.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { ConflictError, NotFoundError, RefusedFieldsError } from '../common/errors/domain-errors.js';
import { AppConfig } from '../config/app-config.js';
import { Database, type SqlExecutor, type Transaction } from '../data/database.js';
import { assertSeesDonors } from '../donations/donors/hidden-donors.js';
import {
  type CreateWebhookEndpoint,
  type DeletedWebhookEndpoint,
  payloadOf,
  toEndpoint,
  type UpdateWebhookEndpoint,
  type WebhookEndpointDto,
  type WebhookEndpointList,
  type WebhookEndpointWithSecret,
} from './dto/webhook-endpoint.dto.js';
import { newSecret } from './sending/signature.js';
import { interval, settleDisabled, WebhookSender } from './sending/webhook-sender.service.js';
import { urlProblem } from './sending/webhook-url.js';
import { KEEP_EARLIER_PLEDGES } from './webhook-bodies.sql.js';
import {
  DELETE_ENDPOINT,
  ENABLE,
  ENDPOINT_BY_ID,
  type EndpointRow,
  ENDPOINTS,
  type EndpointWithFigures,
  INSERT_ENDPOINT,
  LOCK_ENDPOINT,
  ROTATE_SECRET,
  SEND_SKIPPED,
  SKIP_WAITING,
  STOP,
  UPDATE_ENDPOINT,
} from './webhooks.sql.js';

const MOST_ENDPOINTS = 20;
/** The most messages that one request sends again. */
export const MOST_REPLAYED = 10_000;
const OLD_SECRET_MS = 24 * 60 * 60_000;

/** The endpoints of other systems that get webhooks. */
@Injectable()
export class WebhookEndpoints {
  constructor(
    private readonly database: Database,
    private readonly config: AppConfig,
    private readonly keys: KeyRing,
    private readonly audit: Audit,
    private readonly sender: WebhookSender,
  ) {}

  async list(): Promise<WebhookEndpointList> {
    return { data: (await this.database.query<EndpointWithFigures>(ENDPOINTS)).map(toEndpoint) };
  }

  /** @throws NotFoundError `WEBHOOK_ENDPOINT_NOT_FOUND` */
  async read(id: string): Promise<WebhookEndpointDto> {
    return toEndpoint(await endpointOf(this.database, id));
  }

  /** @throws ConflictError `WEBHOOK_ENDPOINTS_LIMIT`; RefusedFieldsError for an address that is not allowed */
  async create(caller: Principal, sent: CreateWebhookEndpoint): Promise<WebhookEndpointWithSecret> {
    if (sent.containsPersonalData) assertSeesDonors(caller);
    this.refuseWrongUrl(sent.url);
    const [id, secret, actor] = [newId(), newSecret(), actorOf(caller)];
    const payload = payloadOf(sent.containsPersonalData ?? false);
    return await this.database.transaction(async (tx) => {
      const created = await tx.query(INSERT_ENDPOINT, [
        id,
        sent.url,
        sent.description ?? null,
        sent.topics ?? [],
        sent.eventIds ?? [],
        payload,
        this.keys.seal('webhook-seal', secret),
        actor.id,
        MOST_ENDPOINTS,
      ]);
      if (created.length === 0)
        throw new ConflictError(
          'WEBHOOK_ENDPOINTS_LIMIT',
          `There are ${MOST_ENDPOINTS} webhook endpoints already; delete one`,
        );
      tx.write(KEEP_EARLIER_PLEDGES, []);
      await this.audit.record(actor, 'webhook.create', id, { payload }, tx);
      return Object.assign(toEndpoint(await endpointOf(tx, id)), { secret });
    });
  }

  /** Changes or pauses an endpoint. */
  async update(caller: Principal, id: string, sent: UpdateWebhookEndpoint): Promise<WebhookEndpointDto> {
    if (sent.url !== undefined) this.refuseWrongUrl(sent.url);
    if (sent.containsPersonalData) assertSeesDonors(caller);
    return await this.changing(id, async (tx, before) => {
      // A new address would get what the key may not read.
      if (before.payload === 'full') assertSeesDonors(caller);
      const after = {
        url: sent.url ?? before.url,
        description: sent.description === undefined ? before.description : sent.description,
        topics: sent.topics ?? before.topics,
        event_ids: sent.eventIds ?? before.event_ids,
        payload:
          sent.containsPersonalData === undefined ? before.payload : payloadOf(sent.containsPersonalData),
      };
      const fields = Object.entries(after).flatMap(([field, value]) =>
        JSON.stringify(value) === JSON.stringify(before[field as keyof EndpointRow]) ? [] : [field],
      );
      const actor = actorOf(caller);
      if (fields.length > 0) {
        tx.write(UPDATE_ENDPOINT, [id, ...Object.values(after)], 1);
        const detail = { fields, ...(fields.includes('payload') && { payload: after.payload }) };
        await this.audit.record(actor, 'webhook.update', id, detail, tx);
      }
      if (sent.status === 'paused' && (await tx.query(STOP, [id, 'paused', null])).length > 0) {
        tx.write(SKIP_WAITING, [id]);
        await this.audit.record(actor, 'webhook.update', id, { fields: ['status'] }, tx);
      }
    });
  }

  async remove(caller: Principal, id: string): Promise<DeletedWebhookEndpoint> {
    await this.database.transaction(async (tx) => {
      await lockEndpoint(tx, id);
      await tx.query(DELETE_ENDPOINT, [id]);
      await settleDisabled(tx, id);
      await this.audit.record(actorOf(caller), 'webhook.delete', id, {}, tx);
    });
    return { id, deleted: true };
  }

  /** Makes a new secret. The present one signs too for 24 hours. */
  async rotateSecret(caller: Principal, id: string): Promise<WebhookEndpointWithSecret> {
    const secret = newSecret();
    const endpoint = await this.changing(id, async (tx, { payload }) => {
      if (payload === 'full') assertSeesDonors(caller);
      tx.write(ROTATE_SECRET, [id, this.keys.seal('webhook-seal', secret), interval(OLD_SECRET_MS)], 1);
      await this.audit.record(actorOf(caller), 'webhook.rotate', id, {}, tx);
    });
    return Object.assign(endpoint, { secret });
  }

  /**
   * Starts a paused or disabled endpoint again.
   * @throws ConflictError `WEBHOOK_ENDPOINT_ACTIVE`
   */
  async enable(caller: Principal, id: string, missed: 'send' | 'skip'): Promise<WebhookEndpointDto> {
    return await this.changing(id, async (tx, { status }) => {
      if (status === 'active')
        throw new ConflictError('WEBHOOK_ENDPOINT_ACTIVE', 'The webhook endpoint is active already');
      if (missed === 'send')
        tx.write(SEND_SKIPPED, [id, interval(this.config.webhooks.times.replayMs), MOST_REPLAYED]);
      tx.write(ENABLE, [id], 1);
      await settleDisabled(tx, id);
      await this.audit.record(actorOf(caller), 'webhook.enable', id, { missed }, tx);
      tx.afterCommit(() => {
        this.sender.look();
      });
    });
  }

  private refuseWrongUrl(url: string): void {
    const problem = urlProblem(url, this.config.webhooks);
    if (problem !== undefined)
      throw new RefusedFieldsError([{ field: 'url', rule: 'other', message: `url ${problem}` }]);
  }

  /** Runs a change of a locked endpoint, and returns the endpoint. */
  private async changing(
    id: string,
    change: (tx: Transaction, endpoint: EndpointRow) => Promise<void>,
  ): Promise<WebhookEndpointDto> {
    return await this.database.transaction(async (tx) => {
      await change(tx, await lockEndpoint(tx, id));
      return toEndpoint(await endpointOf(tx, id));
    });
  }
}

/** @throws NotFoundError `WEBHOOK_ENDPOINT_NOT_FOUND` */
export async function endpointOf(db: SqlExecutor, id: string): Promise<EndpointWithFigures> {
  const [row] = isId(id) ? await db.query<EndpointWithFigures>(ENDPOINT_BY_ID, [id]) : [];
  if (!row) throw noSuchEndpoint();
  return row;
}

/** @throws NotFoundError `WEBHOOK_ENDPOINT_NOT_FOUND` */
export async function lockEndpoint(tx: Transaction, id: string): Promise<EndpointRow> {
  const [row] = isId(id) ? await tx.query<EndpointRow>(LOCK_ENDPOINT, [id]) : [];
  if (!row) throw noSuchEndpoint();
  return row;
}

const noSuchEndpoint = () =>
  new NotFoundError('WEBHOOK_ENDPOINT_NOT_FOUND', 'There is no such webhook endpoint');
