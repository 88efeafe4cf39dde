import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { stopOpeningClick } from '../kit/clicks.js';
import { openModal } from '../kit/modal.js';
import type { Kind } from './records.js';
import { t } from './texts.js';

const DRAWINGS = {
  cash: 'M3 7h18v10H3zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M6 10v4M18 10v4',
  card_terminal: 'M3 6h18v12H3zM3 10h18M6 14.5h4',
  check: 'M3 6h18v12H3zM6 10h7M6 14h4M14 15l1.5 1.5L19 13',
  bank_transfer: 'M4 10l8-5 8 5zM6 10v7M10 10v7M14 10v7M18 10v7M4 19h16',
  pledge: 'M12 20s-7-4.6-7-9.6A3.9 3.9 0 0 1 12 8a3.9 3.9 0 0 1 7 2.4c0 5-7 9.6-7 9.6z',
  other: 'M5 12h1M11.5 12h1M18 12h1',
  till: 'M5 3h14v18H5zM8 7h8M8 12h.01M12 12h.01M16 12h.01M8 16h.01M12 16h.01M16 16h.01',
  records: 'M5 4h14v17l-3-2-2 2-2-2-2 2-2-2-3 2zM8 9h8M8 13h8',
  paddles: 'M12 3a6 6 0 0 1 6 6c0 3-2.5 5.5-5 6v6h-2v-6c-2.500-.5-5-3-5-6a6 6 0 0 1 6-6z',
  guests:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M3 20c0-3.500 2.700-5.500 6-5.500s6 2 6 5.500M16 11l2 2 4-4',
  shift: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 2',
  more: 'M4 7h16M4 12h16M4 17h16',
  erase: 'M9 5h12v14H9l-6-7zM12 9l6 6M18 9l-6 6',
  done: 'M4 12.500l5.500 5.500L20 7',
  offline:
    'M3 3l18 18M8.500 16.500a5 5 0 0 1 7 0M5 12.500a10 10 0 0 1 4-2.400M12 20h.01M14.500 9.200A10 10 0 0 1 19 12.500',
  undo: 'M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
} as const;
export type Drawing = keyof typeof DRAWINGS;

export const Icon = ({ of }: { of: Drawing }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={DRAWINGS[of]} />
  </svg>
);

export const kindName = (kind: Kind): string => t(`kind.${kind}`);

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** True for an urgent message, for example that money was not recorded. */
  readonly alert?: boolean;
}

/** A modal question. Escape answers "no". */
export function Dialog({ title, onClose, children, alert }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const openedAt = useRef(0);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    const closeModal = element.current && openModal(element.current);
    openedAt.current = performance.now();
    // Focuses the heading and not the first field. Otherwise the keyboard of a phone would cover the text.
    if (!element.current?.querySelector('[autofocus]')) heading.current?.focus();
    return () => {
      closeModal?.();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${alert ? 'dialog--alert' : ''}`}
      role={alert ? 'alertdialog' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClickCapture={(event) => stopOpeningClick(event, openedAt.current)}
    >
      <h2 ref={heading} class="dialog__title" id={id} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'email';
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'email';
  readonly maxLength?: number;
  readonly lines?: number;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly autoFocus?: boolean;
  /** Offered values; the browser searches their values and notes. */
  readonly offers?: readonly { readonly value: string; readonly note: string | undefined }[];
}

export function Field(props: FieldProps) {
  const id = useId();
  const {
    label,
    value,
    onChange,
    type = 'text',
    inputMode,
    maxLength,
    lines,
    hint,
    problem,
    autoFocus,
    offers,
  } = props;
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  const shared = {
    id,
    class: 'input',
    value,
    maxLength,
    autoFocus,
    // No autocomplete, because on a shared tablet it would show the data of the previous donor to the next donor.
    autoComplete: 'off',
    'aria-describedby': described,
    'aria-invalid': problem ? true : undefined,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onChange(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label class="field__label" for={id}>
        {label}
      </label>
      {lines ? (
        <textarea {...shared} rows={lines} />
      ) : type === 'email' ? (
        <input {...shared} type="email" inputMode="email" />
      ) : (
        <input {...shared} type="text" inputMode={inputMode} list={offers && `${id}-offers`} />
      )}
      {offers && (
        <datalist id={`${id}-offers`}>
          {offers.map(({ value: offer, note }) => (
            <option key={offer} value={offer} label={note} />
          ))}
        </datalist>
      )}
      {hint && (
        <p class="field__hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="field__error" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export const Check = ({ label, checked, onChange }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>{label}</span>
  </label>
);

interface KeypadProps {
  /** The key to the left of the key 0. */
  readonly extra: { readonly label: string; readonly key: string; readonly name: string };
  readonly onKey: (key: string) => void;
  readonly onErase: () => void;
  readonly disabled?: boolean;
}

/** Large keys for fingers. The digits of a keyboard work too. */
export function Keypad({ extra, onKey, onErase, disabled }: KeypadProps) {
  const key = (label: string, sent: string, name?: string) => (
    <button
      key={sent}
      type="button"
      class="key"
      aria-label={name}
      disabled={disabled}
      onClick={() => onKey(sent)}
    >
      {label}
    </button>
  );
  return (
    <div class="keypad" role="group" aria-label={t('keypad')}>
      {['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => key(digit, digit))}
      {key(extra.label, extra.key, extra.name)}
      {key('0', '0')}
      <button
        type="button"
        class="key key--quiet"
        aria-label={t('erase')}
        disabled={disabled}
        onClick={onErase}
      >
        <Icon of="erase" />
      </button>
    </div>
  );
}
