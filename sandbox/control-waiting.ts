import { choice, days, isCount } from './control-options.js';
import type { Sandbox } from './server.js';
import { INSTRUCTION_KINDS } from './stripe/instructions.js';

type Action = (target: string, options: Record<string, unknown>) => unknown;

/** Controls of what takes days: payments that donors complete later, and what comes back. */
export function waitingActions({ stripe }: Sandbox): Record<string, Action> {
  return {
    'stripe/give-instructions': (id, { kind, expiresInDays, received }) =>
      stripe.giveInstructions(id, {
        kind: choice(kind, INSTRUCTION_KINDS, 'kind'),
        ...days({ expiresInDays }),
        ...(isCount(received) && { received }),
      }),
    'stripe/fail-verification': (id) => stripe.failVerification(id),
  };
}
