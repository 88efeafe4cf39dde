import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import { FreshReads, type Reading } from '../common/caching/fresh-reads.js';
import { Database } from '../data/database.js';
import { eventNotFound } from '../events/event-record.js';
import { PublicEvents } from '../events/public-events.service.js';
import { FeedSubjects } from '../gateway/feed-subjects.js';
import { type PublicMatchPoolDto, toPublicMatchPool } from './dto/public-match.dto.js';
import { PUBLIC_POOLS, PUBLIC_POOLS_BY_ID, type PublicPoolRow } from './match.sql.js';

const KEPT = 500;

interface PublicPools {
  readonly pools: readonly PublicMatchPoolDto[];
  readonly json: string;
}

/**
 * The public state of the match pools of an event, cached like the public events: at most one second old, and with every change
 * that this process knows. Also gives walls their messages and their part of the snapshot.
 */
@Injectable()
export class PublicMatch implements OnModuleInit {
  private readonly reads = new FreshReads<PublicPools>((eventId) => this.read(eventId), {
    max: KEPT,
    changes: this.changes,
  });

  constructor(
    private readonly database: Database,
    private readonly events: PublicEvents,
    private readonly changes: CommittedChanges,
    private readonly subjects: FeedSubjects,
  ) {}

  onModuleInit(): void {
    this.subjects.add({ topic: 'match.changed', read: (ids) => this.statesOf(ids) });
    this.subjects.addPart({ name: 'match', read: (eventId) => this.partOf(eventId) });
  }

  /**
   * Returns the JSON of the pools that the public may see.
   * @throws NotFoundError `EVENT_NOT_FOUND`
   */
  async list(ref: string): Promise<Reading<string>> {
    const { value } = await this.events.get(ref);
    const reading = await this.reads.lastKnown(value.event.id);
    if (!reading) throw eventNotFound();
    return { ...reading, value: reading.value.json };
  }

  /** Returns the pools of an event; empty if the database does not answer. */
  async poolsOf(eventId: string): Promise<readonly PublicMatchPoolDto[]> {
    return (await this.reads.lastKnown(eventId))?.value.pools ?? [];
  }

  private async read(eventId: string) {
    const rows = await this.database.query<PublicPoolRow>(PUBLIC_POOLS, [eventId]);
    const pools = rows.map(toPublicMatchPool);
    return { value: { pools, json: JSON.stringify(pools) }, subject: eventId };
  }

  private async statesOf(ids: readonly string[]): Promise<ReadonlyMap<string, object>> {
    const rows = await this.database.query<PublicPoolRow>(PUBLIC_POOLS_BY_ID, [ids]);
    return new Map(rows.map((row) => [row.id, toMessage(toPublicMatchPool(row))]));
  }

  /** The part of the snapshot; undefined without pools, so that most snapshots stay as they are. */
  private async partOf(eventId: string): Promise<object | undefined> {
    const rows = await this.database.query<PublicPoolRow>(PUBLIC_POOLS, [eventId]);
    return rows.length === 0 ? undefined : rows.map((row) => toMessage(toPublicMatchPool(row)));
  }
}

/** The state of a pool in messages and in the snapshot. Amounts in minor units. */
export type PoolMessage = Pick<
  PublicMatchPoolDto,
  | 'name'
  | 'matcher'
  | 'ratio'
  | 'currency'
  | 'cap'
  | 'drawn'
  | 'kept'
  | 'left'
  | 'settled'
  | 'status'
  | 'usedUpAt'
> & { readonly poolId: string };

const toMessage = ({ id, ...pool }: PublicMatchPoolDto): PoolMessage => ({
  poolId: id,
  name: pool.name,
  matcher: pool.matcher,
  ratio: pool.ratio,
  currency: pool.currency,
  cap: pool.cap,
  drawn: pool.drawn,
  kept: pool.kept,
  left: pool.left,
  settled: pool.settled,
  status: pool.status,
  usedUpAt: pool.usedUpAt,
});
