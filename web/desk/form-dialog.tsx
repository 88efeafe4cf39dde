import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Dialog } from './dialog.js';
import { Problem, useSending } from './sending.js';
import { t } from './texts.js';

interface FormProps {
  readonly title: string;
  readonly subtitle?: ComponentChildren;
  /** What the button says that sends the form. */
  readonly submit: string;
  /** What the button says that leaves everything as it is. */
  readonly cancel?: string;
  readonly danger?: boolean;
  /** Nothing can be sent yet. */
  readonly disabled?: boolean;
  /** What else can be done here, before the two buttons. */
  readonly more?: ComponentChildren;
  /** A failure that is only a question asked back. */
  readonly problemTone?: 'bad' | 'warn';
  /** Closes the dialog itself, or shows what comes next; what it throws is said, and the dialog stays. */
  readonly onSave: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Fields that are sent together, by the button or by Enter, once at a time. */
export function FormDialog({
  title,
  subtitle,
  submit,
  cancel = t('action.cancel'),
  danger = false,
  disabled = false,
  more,
  problemTone = 'bad',
  onSave,
  onClose,
  children,
}: FormProps) {
  const { busy, problem, send } = useSending();
  const id = useId();
  return (
    <Dialog
      title={title}
      subtitle={subtitle}
      onClose={onClose}
      actions={
        <>
          {more}
          <button type="button" class="button button--quiet" onClick={onClose}>
            {cancel}
          </button>
          <button
            type="submit"
            form={id}
            class={danger ? 'button button--danger' : 'button'}
            disabled={busy || disabled}
          >
            {busy ? t('state.working') : submit}
          </button>
        </>
      }
    >
      <form
        id={id}
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!disabled) void send(onSave);
        }}
      >
        <Problem text={problem} tone={problemTone} />
        {children}
      </form>
    </Dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly confirm: string;
  readonly danger?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks once more, in words about what will happen. Stays open with the reason when it did not. */
export const ConfirmDialog = ({ confirm, onConfirm, onClose, ...rest }: ConfirmProps) => (
  <FormDialog
    {...rest}
    submit={confirm}
    cancel={t('action.keep')}
    onClose={onClose}
    onSave={async () => {
      await onConfirm();
      onClose();
    }}
  />
);
