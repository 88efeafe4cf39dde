import type { Confirmation } from '../../../src/auth/dto/account.dto.js';
import { Store } from '../../desk/store.js';

/*
 * The server asks for the password before it changes the sign-in of an account, and then returns a confirmation. The
 * page keeps the confirmation in memory, so that the person types the password once for several changes.
 */

/** A change that waits for the confirmation. */
export interface Question {
  /** @param confirmation undefined if the person cancels */
  readonly answer: (confirmation: Confirmation | undefined) => void;
}

/** The open confirmation request, shown by one dialog above everything else. */
export const question = new Store<Question | undefined>(undefined);

let kept: { readonly token: string; readonly until: number } | undefined;
let asking: Promise<string | undefined> | undefined;

/** Returns the stored confirmation if it is still valid. */
export const confirmation = (): string | undefined =>
  kept && performance.now() < kept.until ? kept.token : undefined;

/** Asks the person for a confirmation. All changes that wait at the same time use the same confirmation. */
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

/** Time for which this page uses a confirmation. The server accepts it for ten minutes. */
const GOOD_FOR_MS = 9 * 60_000;
