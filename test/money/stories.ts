import type { Step } from './steps.js';

/** How every story begins: a donation of each kind. */
export const beginning: readonly Step[] = [
  { what: 'card intent', which: 0, amount: 1000, flag: true },
  { what: 'wallet intent', which: 0, amount: 2000, flag: true },
];

const story = (...told: [Step['what'], number][]): Step[] => [
  ...beginning,
  ...told.map(([what, which]): Step => ({ what, which, amount: 600, flag: true })),
];

/** Stories told in every run, however few random ones there is time for. */
export const STORIES: readonly Step[][] = [
  story(
    ['offline donation', 0],
    ['donor pays', 0],
    ['donor pays', 1],
    ['all messages arrive', 0],
    ['admin refunds a part', 0],
    ['admin refunds a part', 1],
    ['refund at the dashboard', 0],
    ['pledge is kept', 0],
    ['all messages arrive', 0],
    ['admin cancels', 0],
    ['admin cancels', 1],
    ['refund arrives', 0],
    ['offline donation is cancelled', 0],
  ),
  story(
    ['bank declines', 0],
    ['bank declines', 1],
    ['one message arrives', 0],
    ['donor pays', 0],
    ['donor pays', 1],
    ['some messages arrive at once', 2],
    ['admin refunds all', 0],
    ['admin refunds all', 1],
    ['refund fails', 0],
    ['a message is lost', 0],
    ['all messages arrive', 0],
    ['dispute opens', 0],
    ['dispute is lost', 0],
    ['a message comes again', 0],
  ),
  story(
    ['admin cancels', 0],
    ['money comes after the cancellation', 0],
    ['checkout page takes money itself', 0],
    ['checkout page takes money itself', 1],
    ['everything at once', 1],
    ['donor is corrected', 1],
    ['another payment names the donation', 0],
    ['reconciliation', 0],
  ),
];
