import { UnavailableError } from '../../common/errors/domain-errors.js';

const WAITING_OF_ONE = 5;

/** Lets each caller do one thing at a time: who sends more at once waits behind themselves, not before others. */
export class Turns {
  private readonly lines = new Map<string, { last: Promise<unknown>; length: number }>();

  /** @throws UnavailableError when too many of this caller wait already */
  async run<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.lines.get(caller) ?? { last: Promise.resolve(), length: 0 };
    if (line.length >= WAITING_OF_ONE)
      throw new UnavailableError('SIGN_IN_BUSY', 'Too many sign-ins at the moment', 2);
    line.length++;
    this.lines.set(caller, line);
    const turn = line.last.then(work, work);
    line.last = turn;
    try {
      return await turn;
    } finally {
      if (--line.length === 0) this.lines.delete(caller);
    }
  }
}
