import { useState } from 'preact/hooks';

export interface Sending {
  readonly busy: boolean;
  /** Reason of a failure, as a text for the person. */
  readonly problem: string | undefined;
  readonly say: (problem: string | undefined) => void;
  /** Runs the work unless it is already running. An exception becomes `problem`. */
  readonly send: (work: () => Promise<unknown>) => Promise<void>;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** State of a form that sends requests: prevents a second request while one is running, and keeps the reason of a failure. */
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
