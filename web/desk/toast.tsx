import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icons.js';
import { Store, useStore } from './store.js';
import { t } from './texts.js';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'good' | 'bad';
}

const toasts = new Store<readonly Toast[]>([]);
const SHOWN_MS = 6_000;
let last = 0;

function drop(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** Shows a short message. An error stays visible until the person closes it. */
export function say(text: string, kind: Toast['kind'] = 'good'): void {
  const id = ++last;
  toasts.set([...toasts.get().slice(-3), { id, text, kind }]);
  if (kind === 'good') setTimeout(() => drop(id), SHOWN_MS);
}

export const sayError = (error: unknown): void => {
  say(error instanceof Error ? error.message : String(error), 'bad');
};

export function Toasts() {
  const shown = useStore(toasts);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Shows the popover again, so that it is above a dialog that was opened meanwhile.
    const popover = element.current;
    if (!popover?.showPopover) return;
    if (popover.matches(':popover-open')) popover.hidePopover();
    if (shown.length > 0) popover.showPopover();
  }, [shown]);
  return (
    <>
      <div class="toasts" role="region" aria-label={t('toasts')} popover="manual" ref={element}>
        {shown.map(({ id, text, kind }) => (
          <p key={id} class={`toast toast--${kind}`}>
            <span>{text}</span>
            <button
              type="button"
              class="toast__close"
              aria-label={t('action.close')}
              onClick={() => drop(id)}
            >
              <Icon name="close" size={16} />
            </button>
          </p>
        ))}
      </div>
      <p class="visually-hidden" role="status">
        {shown.at(-1)?.text}
      </p>
    </>
  );
}
