import type { Confirmation } from '../../../src/auth/dto/account.dto.js';
import { Store } from '../../desk/store.js';

/*
 * The service asks for the password before it changes how an account is entered. What it answers is held in memory for as
 * long as it is good, so that one question is enough for several changes.
 */

/** A change that waits for the person; answered once. */
export interface Question {
  /** @param confirmation undefined when the person leaves everything as it is */
  readonly answer: (confirmation: Confirmation | undefined) => void;
}

/** What the person is asked now, by one dialog over everything else. */
export const question = new Store<Question | undefined>(undefined);

let kept: { readonly token: string; readonly until: number } | undefined;
let asking: Promise<string | undefined> | undefined;

/** A confirmation that is still good for a while. */
export const confirmation = (): string | undefined =>
  kept && performance.now() < kept.until ? kept.token : undefined;

/** Asks the person; requests that wait at the same moment share the answer. */
export function askConfirmation(): Promise<string | undefined> {
  kept = undefined;
  return (asking ??= new Promise<string | undefined>((resolve) => {
    question.set({
      answer: (given) => {
        question.set(undefined);
        asking = undefined;
        if (given) kept = { token: given.confirmation, until: performance.now() + GOOD_FOR_MS };
        resolve(given?.confirmation);
      },
    });
  }));
}

/** Less than the ten minutes of the service. */
const GOOD_FOR_MS = 9 * 60_000;
