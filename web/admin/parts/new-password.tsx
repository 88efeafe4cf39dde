import { useState } from 'preact/hooks';
import { TextField } from '../../desk/fields.js';
import { t } from '../../desk/texts.js';

const LEAST = 12;

/** A new password, typed twice. */
export interface NewPassword {
  readonly next: string;
  readonly again: string;
  readonly set: (typed: { next?: string; again?: string }) => void;
  /** @throws Error with a text for the person if the two passwords differ */
  readonly value: () => string;
}

export function useNewPassword(): NewPassword {
  const [typed, setTyped] = useState({ next: '', again: '' });
  return {
    ...typed,
    set: (more) => setTyped((before) => ({ ...before, ...more })),
    value: () => {
      if (typed.next !== typed.again) throw new Error(t('password.differ'));
      return typed.next;
    },
  };
}

export function NewPasswordFields({
  password: { next, again, set },
  autoFocus = false,
}: {
  password: NewPassword;
  autoFocus?: boolean;
}) {
  return (
    <>
      <TextField
        label={t('password.next')}
        type="password"
        autoComplete="new-password"
        hint={t('password.hint', { count: LEAST })}
        value={next}
        onValue={(value) => set({ next: value })}
        autoFocus={autoFocus}
        required
      />
      <TextField
        label={t('password.again')}
        type="password"
        autoComplete="new-password"
        value={again}
        onValue={(value) => set({ again: value })}
        required
      />
    </>
  );
}
