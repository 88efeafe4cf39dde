import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  readonly label: ComponentChildren;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  /** If the menu is a choice among several values: true for the current value. */
  readonly checked?: boolean;
}

interface MenuProps {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly items: readonly (MenuItem | undefined | false)[];
  readonly class?: string;
  readonly up?: boolean;
  /** True if the visible text of the button is also its name for screen readers. */
  readonly named?: boolean;
}

/** A button with a menu. The arrow keys, Home, End and Escape work in the menu. */
export function Menu({
  label,
  children,
  items,
  class: look = 'iconbutton',
  up = false,
  named = false,
}: MenuProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const shown = items.filter((item): item is MenuItem => Boolean(item));
  const entries = () => [...(root.current?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])];

  useLayoutEffect(() => {
    if (!open) return;
    entries()[0]?.focus();
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [open]);

  const onKey = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      all[to % all.length]?.focus();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
      button.current?.focus();
    }
  };

  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        ref={button}
        class={look}
        aria-label={named ? undefined : label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <div
          class={up ? 'menu__list menu__list--up' : 'menu__list'}
          role="menu"
          id={id}
          aria-label={label}
          onKeyDown={onKey}
        >
          {shown.map((item, index) => (
            <button
              key={index}
              type="button"
              data-entry
              role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={item.checked}
              tabIndex={-1}
              class={item.danger ? 'menu__item menu__item--danger' : 'menu__item'}
              onClick={() => {
                setOpen(false);
                button.current?.focus();
                item.onSelect();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
