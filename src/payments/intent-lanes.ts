import { UnavailableError } from '../common/errors/domain-errors.js';
import { Semaphore } from '../common/semaphore.js';

/** A payment takes a provider about half a second: a ballroom of two thousand that gives in one minute. */
const AT_ONCE = 32;
const LINE = {
  length: 1_000,
  maxWaitMs: 8_000,
  refusal: () =>
    new UnavailableError('OVERLOADED', 'Too many payments at this moment; send this one again', 2),
};

/**
 * A lane for each provider: however many start payments at once, records, lists and walls go on beside them, and a
 * provider that hangs holds nobody who pays with another one. In a lane, addresses that have started little go first.
 */
export class IntentLanes {
  private readonly lanes = new Map<string, Semaphore>();

  /**
   * @param used how much of its budget the caller's address has used
   * @throws UnavailableError `OVERLOADED` when the line is too long or too slow
   */
  async run<Result>(provider: string, work: () => Promise<Result>, used: number): Promise<Result> {
    let lane = this.lanes.get(provider);
    if (!lane) this.lanes.set(provider, (lane = new Semaphore(AT_ONCE, LINE)));
    return await lane.run(work, used);
  }
}
