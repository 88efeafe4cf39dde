import type { Step } from './steps.js';

/** The start of every story: one donation of each kind. */
export const beginning: readonly Step[] = [
  { what: 'card intent', which: 0, amount: 1000, flag: true },
  { what: 'wallet intent', which: 0, amount: 2000, flag: true },
];

/**
 * In stories, donation 0 is a card donation and donation 1 is a wallet donation. For disputes, `amount` selects the next
 * action (see ESCALATES).
 */
type Played = readonly [what: Step['what'], which?: number, more?: Partial<Pick<Step, 'amount' | 'flag'>>];

const CARD = 0;
const WALLET = 1;
/** Next actions of a dispute, selected by `amount`. */
const [ESCALATES, IS_ANSWERED, CHANGES] = [{ amount: 600 }, { amount: 601 }, { amount: 602 }];
const ALL = { flag: false };

export interface NamedStory {
  readonly name: string;
  readonly steps: readonly Step[];
  /** If true, the test also plays the story in two orders of its messages. */
  readonly inTwoOrders: boolean;
}

const story = (name: string, played: readonly Played[], { inTwoOrders = true } = {}): NamedStory => ({
  name,
  inTwoOrders,
  steps: [
    ...beginning,
    ...played.map(([what, which = 0, more]): Step => ({ what, which, amount: 600, flag: true, ...more })),
  ],
});

const paid: readonly Played[] = [['donor pays', CARD], ['donor pays', WALLET], ['all messages arrive']];

/** Stories that every run plays, also if no time is left for random stories. */
export const STORIES: readonly NamedStory[] = [
  story(
    'an evening with refunds',
    [
      ['offline donation'],
      ...paid,
      ['admin refunds a part', CARD],
      ['admin refunds a part', WALLET],
      ['refund at the dashboard'],
      ['pledge is kept'],
      ['all messages arrive'],
      ['admin cancels', CARD],
      ['admin cancels', WALLET],
      ['offline donation is cancelled'],
    ],
    { inTwoOrders: false },
  ),
  story(
    'declines, and a refund that fails',
    [
      ['bank declines', CARD],
      ['bank declines', WALLET],
      ['one message arrives'],
      ['donor pays', CARD],
      ['donor pays', WALLET],
      ['some messages arrive at once', 2],
      ['admin refunds all', CARD],
      ['admin refunds all', WALLET],
      ['refund fails', CARD],
      ['a message is lost'],
      ['all messages arrive'],
      ['dispute opens', CARD],
      ['dispute is lost', CARD],
      ['a message comes again'],
    ],
    { inTwoOrders: false },
  ),
  story(
    'money that nobody waits for',
    [
      ['admin cancels', CARD],
      ['money comes after the cancellation', CARD],
      ['checkout page takes money itself', 0],
      ['checkout page takes money itself', 1],
      ['everything at once', WALLET],
      ['donor is corrected', WALLET],
      ['another payment names the donation', CARD],
      ['reconciliation'],
    ],
    { inTwoOrders: false },
  ),
  story('a voucher that is paid on the last day', [
    ['donor takes a voucher', CARD],
    ['donor takes a voucher', WALLET],
    ['a day passes'],
    ['admin cancels', CARD],
    ['reconciliation'],
    ['donor pays', CARD],
    ['bank decides', WALLET],
  ]),
  story(
    'a voucher that runs out',
    [
      ['donor takes a voucher', CARD],
      ['voucher runs out', CARD],
      ['a day passes'],
      ['money comes after the cancellation', CARD],
      ['admin refunds a part', CARD],
    ],
    { inTwoOrders: false },
  ),
  story('a direct debit that takes days', [
    ['bank takes its time', CARD],
    ['bank takes its time', WALLET],
    ['a day passes'],
    ['admin cancels', CARD],
    ['admin cancels', WALLET],
    ['bank decides', CARD],
    ['bank decides', WALLET, ALL],
    ['admin refunds all', CARD],
  ]),
  story('disputes that go through their stages and are lost', [
    ...paid,
    // The first dispute is an inquiry.
    ['dispute opens', 0, { flag: true }],
    ['dispute opens', 3, { amount: 1000 }],
    ['dispute moves on', CARD, IS_ANSWERED],
    ['dispute moves on', CARD, ESCALATES],
    ['dispute moves on', WALLET, CHANGES],
    ['some messages arrive at once', 1],
    ['dispute moves on', CARD, CHANGES],
    ['dispute moves on', WALLET, IS_ANSWERED],
    ['dispute is lost', CARD],
    ['dispute is lost', WALLET],
    ['a message comes again'],
    ['reconciliation'],
  ]),
  story('a complaint that becomes a chargeback, and disputes that are won', [
    ...paid,
    ['dispute opens', 7, ALL],
    ['dispute opens', 2, ALL],
    ['dispute moves on', WALLET, CHANGES],
    ['dispute moves on', CARD, IS_ANSWERED],
    ['a message is lost'],
    ['dispute is won', WALLET],
    ['dispute is won', CARD],
    ['admin refunds all', WALLET],
  ]),
  story(
    'sums, refunds and orders that go another way',
    [
      ['donor pays another sum', CARD, { amount: 900, flag: false }],
      ['provider cancels', WALLET],
      ['all messages arrive'],
      ['wallet intent'],
      ['donor pays', 2],
      ['all messages arrive'],
      ['admin refunds, the provider declines', CARD],
      ['admin refunds, the provider waits', CARD],
      ['refund arrives', CARD, { amount: 601 }],
      ['admin refunds, the provider waits', 2],
    ],
    { inTwoOrders: false },
  ),
  story('an inquiry that is answered, and a chargeback that waits for an answer', [
    ...paid,
    ['dispute opens', 0],
    ['dispute opens', 1, ALL],
    ['all messages arrive'],
    ['dispute moves on', CARD, IS_ANSWERED],
    ['dispute moves on', WALLET, IS_ANSWERED],
    ['all messages arrive'],
    ['dispute moves on', WALLET, CHANGES],
  ]),
  story('money taken back without a dispute', [...paid, ['dispute opens', 5, { flag: true }]]),
  story(
    'a gap of twelve days',
    [
      ...paid,
      ['a gap of days', CARD, ALL],
      ['a gap of days', WALLET, ALL],
      ['refund at the dashboard', CARD],
    ],
    { inTwoOrders: false },
  ),
  story(
    'a gap of forty days',
    [...paid, ['a gap of days', CARD], ['a gap of days', WALLET], ['reconciliation']],
    {
      inTwoOrders: false,
    },
  ),
  story(
    'a restored backup',
    [
      ['donor pays', CARD],
      ['all messages arrive'],
      ['a terminal queues a record', 1],
      ['a backup is made'],
      ['two sessions send the queue'],
      ['card intent', 1, { amount: 1500 }],
      ['donor pays', 2],
      ['donor pays', WALLET],
      ['admin refunds a part', CARD],
      ['a gap of days', 2],
      ['all messages arrive'],
      ['dispute opens', 2],
      ['dispute is lost', 2],
      ['all messages arrive'],
      ['the backup is restored'],
      ['a message comes again'],
      ['admin refunds a part', CARD],
      ['admin refunds all', WALLET],
    ],
    { inTwoOrders: false },
  ),
  story(
    'an order whose row was lost before it was paid: it names its event',
    [
      ['a backup is made'],
      ['wallet intent', 1, { amount: 700 }],
      ['donor agrees, no more', 2],
      ['the backup is restored'],
      ['all messages arrive'],
    ],
    { inTwoOrders: false },
  ),
  story(
    'an event that is renamed in the middle of a payment',
    [
      ['the answer to an intent is lost', CARD],
      ['donor pays', 2],
      ['checkout page takes money itself', 0, ALL],
      ['checkout page takes money itself', 1, ALL],
      ['the event is renamed', 1],
      ['all messages arrive'],
    ],
    { inTwoOrders: false },
  ),
  story(
    'an order whose event is renamed before its answer came',
    [
      ['the answer to an intent is lost', WALLET, ALL],
      ['donor pays', 2],
      ['admin refunds a part', 2],
    ],
    { inTwoOrders: false },
  ),
  story(
    'one queue under two sessions',
    [
      ['a terminal queues a record', 1, { amount: 500 }],
      ['a terminal queues a record', 2],
      ['two sessions send the queue'],
      ['a terminal queues a record', 3],
      ['two sessions send the queue'],
      ['two sessions send the queue'],
    ],
    { inTwoOrders: false },
  ),
  story(
    'refunds that are asked for again under their keys',
    [
      ['offline donation', 0, ALL],
      ...paid,
      ['a provider stumbles', 3, { amount: 601 }],
      ['admin refunds a part', CARD],
      ['the same refund is asked for again', 0],
      ['admin refunds a part', CARD],
      ['the same refund is asked for again', 1],
      ['admin refunds a part', WALLET],
      ['the same refund is asked for again', 2],
      ['offline donation is cancelled', 0],
      ['the same refund is asked for again', 3],
      ['all messages arrive'],
    ],
    { inTwoOrders: false },
  ),
];
