// The order of the test files: those that take longest begin first, or the last of them runs alone for a minute. Those that hold
// answers to milliseconds come last, when no browser takes the processors from them.
import SequencerModule from '@jest/test-sequencer';

const Sequencer = SequencerModule.default ?? SequencerModule;

/** What takes half a minute and more, and is not among the largest files, which Jest takes first by itself. */
const LONGEST = [
  'pages/wall-evening',
  'faults/reconciliation',
  'pages/admin-people',
  'pages/pos-queue',
  'pages/pos.e2e',
  'pages/admin-terminals',
  'pages/admin-long-lists',
  'pages/admin-pledges',
  'pages/admin-looks',
  'pages/admin-connections',
  'operating/lost-connections',
  'operating/rolling-restart',
  'operating/after-a-restore',
  'operating/restore-drill',
  'scripts/production-install',
  'scripts/image-build',
  'auth/replaced-pin-secret',
];

const TIMED = ['faults/last-known'];

export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const place = ({ path }) => {
      const isIn = (name) => path.includes(`/test/${name}`);
      if (TIMED.some(isIn)) return LONGEST.length + 1;
      const index = LONGEST.findIndex(isIn);
      return index < 0 ? LONGEST.length : index;
    };
    return [...(await super.sort(tests))].sort((a, b) => place(a) - place(b));
  }
}
