import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { isOpeningClick, stopOpeningClick } from '../kit/clicks.js';
import { Icon } from './icons.js';
import { t } from './texts.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons that stay visible while the content scrolls. */
  readonly actions?: ComponentChildren;
  /** A `sheet` is at the side of the screen and has the height of the screen. */
  readonly look?: 'box' | 'wide' | 'sheet' | 'drawer';
  readonly subtitle?: ComponentChildren;
}

/** A modal `<dialog>`. The browser manages the focus, the Escape key and the blocked background. */
export function Dialog({ title, onClose, children, actions, look = 'box', subtitle }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const openedAt = useRef(0);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    // When the dialog ends, returns the focus to the element that had it before, also when the dialog is
    // removed without closing.
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    openedAt.current = performance.now();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog dialog--${look}`}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== element.current) return;
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current && !isOpeningClick(event, openedAt.current)) onClose();
      }}
      onClickCapture={(event) => stopOpeningClick(event, openedAt.current)}
    >
      <div class="dialog__inside">
        <header class="dialog__head">
          <div>
            <h2 class="dialog__title" id={id} tabIndex={-1}>
              {title}
            </h2>
            {subtitle && <p class="dialog__subtitle">{subtitle}</p>}
          </div>
          <button type="button" class="iconbutton" aria-label={t('action.close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        <div class="dialog__body" tabIndex={0} role="group" aria-labelledby={id}>
          {children}
        </div>
        {actions && <footer class="dialog__actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
