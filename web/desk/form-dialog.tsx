import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Dialog } from './dialog.js';
import { Problem, useSending } from './sending.js';
import { t } from './texts.js';

/** The part of a form with a draft that a dialog needs. */
interface DraftedForm {
  readonly note: ComponentChildren;
  readonly discard: () => void;
  readonly saving: (save: () => Promise<unknown>) => Promise<unknown>;
}

interface FormProps {
  /** Values with a draft. Cancel discards the draft; another way to close the dialog keeps it. */
  readonly form?: DraftedForm;
  readonly title: string;
  readonly subtitle?: ComponentChildren;
  /** Label of the button that sends the form. */
  readonly submit: string;
  /** Label of the button that cancels. */
  readonly cancel?: string;
  readonly danger?: boolean;
  /** True if the form cannot be sent yet. */
  readonly disabled?: boolean;
  /** Further actions, shown before the two buttons. */
  readonly more?: ComponentChildren;
  /** Saves, then closes the dialog or shows the next step. If it throws an error, the dialog stays open with the message. */
  readonly onSave: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog with a form. The button or the Enter key sends all fields in one request. */
export function FormDialog({
  form,
  title,
  subtitle,
  submit,
  cancel = t('action.cancel'),
  danger = false,
  disabled = false,
  more,
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
          <button
            type="button"
            class="button button--quiet"
            onClick={() => {
              form?.discard();
              onClose();
            }}
          >
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
          if (!disabled) void send(form ? () => form.saving(onSave) : onSave);
        }}
      >
        {form?.note}
        <Problem text={problem} />
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

/** A dialog that explains an action and asks for confirmation. If the action fails, the dialog stays open with the reason. */
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
