// Orders the test files. The longest files start first; otherwise the last of them would run alone for a minute. Files with
// time limits in milliseconds come last, when no browser uses the processors.
import SequencerModule from '@jest/test-sequencer';

const Sequencer = SequencerModule.default ?? SequencerModule;

/** Files that take more than half a minute but are not among the largest. Jest itself starts the largest files first. */
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
