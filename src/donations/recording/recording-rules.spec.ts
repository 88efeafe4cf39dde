import { describe, expect, it } from '@jest/globals';
import { newId, timeOfId } from '../../common/crypto/ids.js';
import { DEFAULT_SETTINGS, type Settings } from '../../settings/settings.js';
import { MOST_RECORDED } from '../../totals/range-of-totals.js';
import { STATE_TABLE } from '../lifecycle/donation-lifecycle.js';
import type { NewDonation } from '../store/donation-columns.js';
import { newDonation, NO_DETAILS, NOT_AT_A_TERMINAL } from './new-donation.js';
import { type EventOfRecords, judge, type SentRecord } from './recording-rules.js';

const HOUR = 3_600_000;

interface Rules {
  readonly donation?: Partial<Settings['donation']>;
  readonly live?: Partial<Settings['live']>;
}

const event = (fields: Partial<EventOfRecords> = {}, { donation, live }: Rules = {}): EventOfRecords => ({
  currency: 'eur',
  date: new Date(),
  status: 'active',
  settings: {
    donation: { ...DEFAULT_SETTINGS.donation, ...donation },
    live: { ...DEFAULT_SETTINGS.live, ...live },
  },
  raised: 0n,
  promised: 0n,
  rounds: {},
  ...fields,
});

const ROUND = newId();

function sent(fields: Partial<NewDonation> = {}, confirmed = false): SentRecord {
  const id = newId();
  const given: NewDonation = {
    id,
    event_id: newId(),
    amount: 1000n,
    currency: '',
    type: 'cash',
    donor_name: 'Ada',
    donor_email: null,
    is_anonymous: false,
    message: 'Hello',
    message_state: 'visible',
    name_state: 'visible',
    donor_key: null,
    staff_id: null,
    staff_name: null,
    provider: null,
    payment_id: null,
    expected_amount: null,
    expected_currency: null,
    ...NO_DETAILS,
    created_at: timeOfId(id),
    ...NOT_AT_A_TERMINAL,
    ...fields,
  };
  const beginning = given.type === 'pledge' ? 'pledged' : 'received';
  return { donation: newDonation(given, beginning, STATE_TABLE), confirmed };
}
const pledge = (fields: Partial<NewDonation> = {}) => sent({ type: 'pledge', ...fields });
const one = (record: SentRecord, at: EventOfRecords | undefined) => judge([record], at)[0];
const kinds = (records: readonly SentRecord[], at: EventOfRecords) =>
  judge(records, at).map(({ kind }) => kind);

describe('an event', () => {
  it.each(['active', 'paused', 'closed'] as const)('accepts records while it is %s', (status) => {
    expect(one(sent(), event({ status }))).toMatchObject({ kind: 'accepted' });
  });

  it.each(['draft', 'archived'] as const)('refuses records while it is %s', (status) => {
    expect(one(sent(), event({ status }))).toEqual({ kind: 'event-closed' });
  });

  it('refuses records if the event does not exist', () => {
    expect(one(sent(), undefined)).toEqual({ kind: 'event-closed' });
  });
});

describe('the currency of a record', () => {
  it('records an amount in the currency of the event', () => {
    expect(one(sent(), event({ currency: 'jpy' }))).toMatchObject({ donation: { currency: 'jpy' } });
  });
});

describe('the amount limits', () => {
  const most = event({}, { donation: { maxOfflineAmount: 1000 } });
  const asked = event({}, { donation: { confirmOfflineAbove: 1000 } });

  it('refuse an amount above donation.maxOfflineAmount even if it is confirmed', () => {
    expect(one(sent({ amount: 1000n }), most)).toMatchObject({ kind: 'accepted' });
    for (const confirmed of [false, true])
      expect(one(sent({ amount: 1001n }, confirmed), most)).toEqual({ kind: 'too-large', limit: 1000 });
    expect(one(pledge({ amount: 1001n }), most)).toEqual({ kind: 'too-large', limit: 1000 });
  });

  it('require a confirmation above donation.confirmOfflineAbove', () => {
    expect(one(sent({ amount: 1000n }), asked)).toMatchObject({ kind: 'accepted' });
    expect(one(sent({ amount: 1001n }), asked)).toEqual({ kind: 'unconfirmed', limit: 1000 });
    expect(one(sent({ amount: 1001n }, true), asked)).toMatchObject({ kind: 'accepted' });
  });

  it('allow any amount if the settings contain no limits', () => {
    expect(one(sent({ amount: 10n ** 12n }), event())).toMatchObject({ kind: 'accepted' });
  });

  it('refuse one record of a batch and accept the others', () => {
    expect(kinds([sent(), sent({ amount: 1001n }), sent()], most)).toEqual([
      'accepted',
      'too-large',
      'accepted',
    ]);
  });
});

describe('the maximum total', () => {
  const outOfRange = { kind: 'out-of-range', currency: 'eur' };

  it('accepts an amount up to the maximum and refuses one above it', () => {
    const raised = MOST_RECORDED - 1000n;
    expect(one(sent({ amount: 1000n }), event({ raised }))).toMatchObject({ kind: 'accepted' });
    expect(one(sent({ amount: 1001n }), event({ raised }))).toEqual(outOfRange);
  });

  it('counts accepted records earlier in the batch, but not refused ones', () => {
    const at = event({ raised: MOST_RECORDED - 2000n }, { donation: { maxOfflineAmount: 1500 } });
    const amounts = [1000n, 1501n, 1000n, 1n];
    expect(
      kinds(
        amounts.map((amount) => sent({ amount })),
        at,
      ),
    ).toEqual(['accepted', 'too-large', 'accepted', 'out-of-range']);
  });

  it('ignores a pledge, which does not count in totals', () => {
    expect(one(pledge(), event({ raised: MOST_RECORDED + 1n }))).toMatchObject({ kind: 'accepted' });
  });

  it('limits the sum of pledges when a pledge is large', () => {
    const [large, most] = [1_000_000_001n, 2n ** 51n];
    const at = event({ promised: most - large });
    expect(kinds([pledge({ amount: large }), pledge({ amount: large })], at)).toEqual([
      'accepted',
      'out-of-range',
    ]);
    expect(one(pledge({ amount: large + 1n }), at)).toEqual(outOfRange);
    expect(one(pledge({ amount: 1_000_000_000n }), event({ promised: most }))).toMatchObject({
      kind: 'accepted',
    });
    expect(one(sent({ amount: large }), event({ promised: most }))).toMatchObject({ kind: 'accepted' });
    // The limit for pledges does not apply to received donations.
    expect(kinds([sent({ amount: large }), pledge({ amount: large })], at)).toEqual(['accepted', 'accepted']);
  });
});

describe('a pledge round', () => {
  it('accepts a pledge only for its event and in its currency', () => {
    const record = pledge({ round_id: ROUND });
    expect(one(record, event({ rounds: { [ROUND]: 'eur' } }))).toMatchObject({ kind: 'accepted' });
    expect(one(record, event())).toEqual({ kind: 'unknown-round' });
    expect(one(record, event({ rounds: { [ROUND]: 'usd' } }))).toEqual({ kind: 'unknown-round' });
  });
});

describe('live.moderate', () => {
  it.each([
    ['none', 'visible', 'visible'],
    ['messages', 'held', 'visible'],
    ['all', 'held', 'held'],
  ] as const)('decides which text waits for approval: %s', (moderate, message_state, name_state) => {
    expect(one(sent(), event({}, { live: { moderate } }))).toMatchObject({
      donation: { message_state, name_state },
    });
  });

  it('holds nothing if the donor wrote nothing', () => {
    const record = sent({ message: null, is_anonymous: true });
    expect(one(record, event({}, { live: { moderate: 'all' } }))).toMatchObject({
      donation: { message_state: 'visible', name_state: 'visible' },
    });
  });
});

describe('the device time', () => {
  const at = (milliseconds: number, date = new Date()) => {
    const record = sent();
    const arrived = record.donation.created_at;
    const said = new Date(arrived.getTime() + milliseconds);
    const verdict = one({ ...record, donation: { ...record.donation, recorded_at: said } }, event({ date }));
    const believed = verdict?.kind === 'accepted' ? verdict.donation.recorded_at : undefined;
    return believed && believed.getTime() - arrived.getTime();
  };

  it('accepts a device time back to the day before the event', () => {
    expect(at(-3 * HOUR)).toBe(-3 * HOUR);
    expect(at(-47 * HOUR)).toBe(-47 * HOUR);
    expect(at(-49 * HOUR)).toBeNull();
    expect(at(-200 * HOUR, new Date(Date.now() - 199 * HOUR))).toBe(-200 * HOUR);
  });

  it('accepts an earlier device time before the event, as if the event were today', () => {
    expect(at(-47 * HOUR, new Date(Date.now() + 999 * HOUR))).toBe(-47 * HOUR);
    expect(at(-49 * HOUR, new Date(Date.now() + 999 * HOUR))).toBeNull();
  });

  it('replaces a device time slightly ahead by the arrival time, and rejects one further ahead', () => {
    expect(at(120_000)).toBe(0);
    expect(at(120_001)).toBeNull();
  });
});

describe('the limit for a second look', () => {
  const checked = event({}, { live: { holdFrom: 1000 } });
  const cardOf = (record: SentRecord, at: EventOfRecords) => {
    const verdict = one(record, at);
    return verdict?.kind === 'accepted' ? verdict.donation.wall_state : verdict;
  };

  it('holds the card of a larger record, and of no other record', () => {
    expect(cardOf(sent({ amount: 1001n }), checked)).toBe('held');
    expect(cardOf(sent({ amount: 1000n }), checked)).toBeNull();
    expect(cardOf(sent({ amount: 1001n }), event())).toBeNull();
    expect(cardOf(pledge({ amount: 1001n }), checked)).toBeNull();
  });
});
