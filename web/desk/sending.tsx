import { useState } from 'preact/hooks';

export interface Sending {
  readonly busy: boolean;
  /** Why it did not work, in words for the one who pressed. */
  readonly problem: string | undefined;
  readonly say: (problem: string | undefined) => void;
  /** Does the work unless it is being done already; what it throws becomes `problem`. */
  readonly send: (work: () => Promise<unknown>) => Promise<void>;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What a form needs while it is sent: nothing is sent twice, and a failure is said. */
export function useSending(): Sending {
  const [busy, setBusy] = useState(false);
  const [problem, say] = useState<string>();
  const send = async (work: () => Promise<unknown>) => {
    if (busy) return;
    setBusy(true);
    say(undefined);
    try {
      await work();
    } catch (error) {
      say(reasonOf(error));
    }
    setBusy(false);
  };
  return { busy, problem, say, send };
}

export const Problem = ({ text, tone = 'bad' }: { text: string | undefined; tone?: 'bad' | 'warn' }) =>
  text === undefined ? null : (
    <p class={`note note--${tone}`} role="alert">
      {text}
    </p>
  );
