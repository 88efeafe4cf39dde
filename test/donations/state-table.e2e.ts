import { beforeAll, describe, expect, it } from '@jest/globals';
import { Audit } from '../../src/audit/audit.js';
import { EditConflicts } from '../../src/audit/edit-conflicts.service.js';
import type { Principal } from '../../src/common/access/principal.js';
import { KeyRing } from '../../src/common/crypto/key-ring.js';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { Database } from '../../src/data/database.js';
import { CorrectionsService } from '../../src/donations/lifecycle/corrections.service.js';
import { DonationChanges } from '../../src/donations/lifecycle/donation-changes.js';
import { STATE_TABLE, type StateTable } from '../../src/donations/lifecycle/donation-lifecycle.js';
import { DonationRecorder } from '../../src/donations/recording/donation-recorder.js';
import { UndoService } from '../../src/donations/lifecycle/undo.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import { RecordingService } from '../../src/donations/recording/recording.service.js';
import { EventLookup } from '../../src/events/event-lookup.service.js';
import { Mailer } from '../../src/mail/mailer.service.js';
import { Outbox } from '../../src/outbox/outbox.js';
import { CancellationService } from '../../src/payments/refunds/cancellation.service.js';
import { FactBooking } from '../../src/payments/booking/fact-booking.js';
import { PaymentFacts } from '../../src/payments/booking/facts.service.js';
import { IntentBudget } from '../../src/payments/intents/intent-budget.js';
import { IntentRules } from '../../src/payments/intents/intent-rules.js';
import { TransferIntents } from '../../src/payments/intents/transfer-intents.service.js';
import { IntentsService } from '../../src/payments/intents/intents.service.js';
import type { PaymentFact, PaymentProvider } from '../../src/payments/providers/provider-port.js';
import { PaymentHomes } from '../../src/payments/booking/payment-homes.service.js';
import { PaymentProviders } from '../../src/payments/providers/payment-providers.js';
import { adminToken, createAdmin, createEvent, sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withService } from '../support/setup.js';

/** Every row of the state table is necessary: without the row or its condition, one behaviour of a service changes. */

const app = withService(startPaymentsApp);
let eventId: string;
let admin: Principal;
let card: PaymentProvider;

beforeAll(async () => {
  // The application would book the webhooks with the complete table. So the test delivers them itself.
  app.sandbox.setDeliveryMode('manual');
  eventId = (await createEvent(app, await adminToken(app))).id;
  const { id } = await createAdmin(app);
  admin = { role: 'ADMIN', id } as Principal;
  [card] = app.app.get(PaymentProviders, { strict: false }).ofType('card');
});

const status = async (id: string) =>
  (await sql<{ status: string }>(app, 'SELECT status FROM donation WHERE id = $1', [id]))[0]?.status;

/** Creates the services that change donations, with the given state table. All their other parts come from the application. */
function servicesWith(table: StateTable) {
  const get = <Service>(type: abstract new (...args: never[]) => Service): Service =>
    app.app.get<Service>(type, { strict: false });
  const [database, keys, events] = [get(Database), get(KeyRing), get(EventLookup)];
  const providers = get(PaymentProviders);
  const changes = new DonationChanges(get(Outbox), get(Mailer), table);
  const facts = new PaymentFacts(database, new FactBooking(changes, keys), get(PaymentHomes));
  const budget = get(IntentBudget);
  const intents = new IntentsService(
    database,
    get(IntentRules),
    providers,
    changes,
    keys,
    budget,
    get(TransferIntents),
  );
  const recording = new RecordingService(
    database,
    keys,
    events,
    changes,
    get(DonationRecorder),
    get(Metrics),
  );
  const [settings, audit, conflicts] = [get(SettingsService), get(Audit), get(EditConflicts)];
  const corrections = new CorrectionsService(database, events, settings, keys, changes, audit, conflicts);
  const undoing = new UndoService(database, events, settings, changes, audit);
  const cancellation = new CancellationService(database, changes, providers, facts, intents, events, keys);
  return {
    open: async () => {
      const sent = { amount: 1000, metadata: { eventId, donorName: 'Ada' } };
      return (await intents.create(sent, undefined, { ip: '192.0.2.1', challengeToken: undefined }))
        .donationId;
    },
    record: async (type: 'cash' | 'pledge') =>
      (await recording.record(admin, { amount: 1000, type, eventId }, undefined)).id,
    fulfil: (id: string) => corrections.fulfil(admin, id, { type: 'cash' }),
    undo: (id: string) => undoing.undo(admin, id),
    cancel: (id: string, shouldRefund: boolean) => cancellation.cancel(admin, id, { shouldRefund }),
    fact: async (id: string, fact: object) => {
      const [row] = await sql<{ payment_id: string }>(app, 'SELECT payment_id FROM donation WHERE id = $1', [
        id,
      ]);
      await facts.book(card, [{ paymentId: row?.payment_id ?? '', ...fact } as PaymentFact]);
    },
  };
}

type Services = ReturnType<typeof servicesWith>;

const paid = () => ({ kind: 'paid', amount: 1000n, currency: 'eur', paidAt: new Date() });
const refund = (state: string, id: string) => ({
  kind: 'refund',
  providerRefundId: `re_${id}`,
  amount: 1000n,
  currency: 'eur',
  status: state,
});

interface Behaviour {
  /** The row of the table, or its condition, on which this behaviour depends. */
  readonly rests: string;
  readonly what: string;
  /** Uses the complete table to create a donation that is ready for the step. */
  readonly before: (all: Services) => Promise<string>;
  /** Runs the step that needs the row. Returns the id of the donation. */
  readonly step: (services: Services, id: string) => Promise<unknown>;
  readonly ends: string;
}

const opened = (all: Services) => all.open();
const nothing = () => Promise.resolve('');
const after =
  (...facts: string[]) =>
  async (all: Services) => {
    const id = await all.open();
    for (const kind of facts) await all.fact(id, kind === 'paid' ? paid() : { kind });
    return id;
  };

const BEHAVIOURS: readonly Behaviour[] = [
  {
    rests: 'start → PENDING by opened',
    what: 'an intent opens a pending donation',
    before: nothing,
    step: (services) => services.open(),
    ends: 'PENDING',
  },
  {
    rests: 'start → PENDING by pledged',
    what: 'a pledge is recorded as open',
    before: nothing,
    step: (services) => services.record('pledge'),
    ends: 'PENDING',
  },
  {
    rests: 'start → COMPLETED by received',
    what: 'cash is recorded as complete',
    before: nothing,
    step: (services) => services.record('cash'),
    ends: 'COMPLETED',
  },
  {
    rests: 'PENDING → COMPLETED by paid',
    what: 'a successful payment completes a donation',
    before: opened,
    step: (services, id) => services.fact(id, paid()),
    ends: 'COMPLETED',
  },
  {
    rests: 'PENDING → COMPLETED by fulfilled',
    what: 'a paid pledge is completed',
    before: (all) => all.record('pledge'),
    step: (services, id) => services.fulfil(id),
    ends: 'COMPLETED',
  },
  {
    rests: 'PENDING → FAILED by failed',
    what: 'a decline fails a donation',
    before: opened,
    step: (services, id) => services.fact(id, { kind: 'failed' }),
    ends: 'FAILED',
  },
  {
    rests: 'PENDING → CANCELLED by cancelled',
    what: 'an admin cancels an open pledge',
    before: (all) => all.record('pledge'),
    step: (services, id) => services.cancel(id, false),
    ends: 'CANCELLED',
  },
  {
    rests: 'FAILED → COMPLETED by paid',
    what: 'a card payment succeeds after a decline',
    before: after('failed'),
    step: (services, id) => services.fact(id, paid()),
    ends: 'COMPLETED',
  },
  {
    rests: 'FAILED → CANCELLED by cancelled',
    what: 'an admin cancels a declined donation',
    before: after('failed'),
    step: (services, id) => services.cancel(id, false),
    ends: 'CANCELLED',
  },
  {
    rests: 'CANCELLED → COMPLETED by paid',
    what: 'money that arrives after the cancellation is booked',
    before: after('cancelled'),
    step: (services, id) => services.fact(id, paid()),
    ends: 'COMPLETED',
  },
  {
    rests: 'CANCELLED → COMPLETED unless paid',
    what: 'a repeated success after a book correction changes nothing',
    before: async (all) => {
      const id = await after('paid')(all);
      await all.cancel(id, false);
      return id;
    },
    step: (services, id) => services.fact(id, paid()),
    ends: 'CANCELLED',
  },
  {
    rests: 'COMPLETED → REFUNDED by returned',
    what: 'a cash refund marks the donation as refunded',
    before: (all) => all.record('cash'),
    step: (services, id) => services.cancel(id, true),
    ends: 'REFUNDED',
  },
  {
    rests: 'COMPLETED → CANCELLED by corrected',
    what: 'a book correction cancels a completed donation',
    before: after('paid'),
    step: (services, id) => services.cancel(id, false),
    ends: 'CANCELLED',
  },
  {
    rests: 'PENDING → CANCELLED by undone',
    what: 'staff undo a mistaken pledge',
    before: (all) => all.record('pledge'),
    step: (services, id) => services.undo(id),
    ends: 'CANCELLED',
  },
  {
    rests: 'COMPLETED → CANCELLED by undone',
    what: 'staff undo a mistaken cash donation',
    before: (all) => all.record('cash'),
    step: (services, id) => services.undo(id),
    ends: 'CANCELLED',
  },
  {
    rests: 'REFUNDED → COMPLETED by returned',
    what: 'a failed refund makes the donation complete again',
    before: async (all) => {
      const id = await after('paid')(all);
      await all.fact(id, refund('succeeded', id));
      return id;
    },
    step: (services, id) => services.fact(id, refund('failed', id)),
    ends: 'COMPLETED',
  },
];

/** Returns copies of the table. Each lacks one entry or one condition, which `missing` names. */
function mutations(): { missing: string; table: StateTable }[] {
  return STATE_TABLE.flatMap((row, index) => {
    const name = `${row.from ?? 'start'} → ${row.to}`;
    const withRow = (changed: StateTable[number]) => STATE_TABLE.with(index, changed);
    const entries = row.by.map((by) => ({
      missing: `${name} by ${by}`,
      table: withRow({ ...row, by: (row.by as string[]).filter((one) => one !== by) } as StateTable[number]),
    }));
    if (row.from === null || !row.unlessPaid) return entries;
    return [
      ...entries,
      { missing: `${name} unless paid`, table: withRow({ from: row.from, to: row.to, by: row.by }) },
    ];
  });
}

async function endOf({ before, step }: Behaviour, table: StateTable): Promise<string | undefined> {
  const id = await before(servicesWith(STATE_TABLE));
  const made = await step(servicesWith(table), id);
  return await status(id || String(made));
}

it('every entry of the state table has a test of its behaviour', () => {
  expect(BEHAVIOURS.map(({ rests }) => rests).sort()).toEqual(
    mutations()
      .map(({ missing }) => missing)
      .sort(),
  );
});

describe('services with the complete state table', () => {
  it.each(BEHAVIOURS)('$what ($rests)', async (behaviour) => {
    expect(await endOf(behaviour, STATE_TABLE)).toBe(behaviour.ends);
  });
});

describe('services with one entry of the state table missing', () => {
  it.each(BEHAVIOURS)('without "$rests" this is no longer true: $what', async (behaviour) => {
    const table = mutations().find(({ missing }) => missing === behaviour.rests)?.table ?? [];
    const end = await endOf(behaviour, table).catch((error: unknown) => error);
    expect(end).not.toBe(behaviour.ends);
  });
});
