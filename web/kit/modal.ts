/**
 * Opens a dialog as the only part of the page that reacts. Safari has modal dialogs since 15.4; in older versions the
 * dialog covers the page, keeps the focus, and Escape sends its `cancel` event.
 * @returns closes it
 */
export function openModal(dialog: HTMLDialogElement): () => void {
  if ('showModal' in dialog) {
    dialog.showModal();
    return () => {
      dialog.close();
    };
  }
  return coverPage(dialog);
}

function coverPage(dialog: HTMLElement): () => void {
  dialog.setAttribute('open', '');
  dialog.setAttribute('aria-modal', 'true');
  if (!dialog.hasAttribute('role')) dialog.setAttribute('role', 'dialog');
  dialog.classList.add('dialog--covering');
  const keepFocus = ({ target }: FocusEvent) => {
    if (target instanceof Node && !dialog.contains(target))
      dialog.querySelector<HTMLElement>('button, input, select, textarea, a[href], [tabindex]')?.focus();
  };
  // Before the page's own keys: Escape must not also clear what was typed behind the dialog.
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopImmediatePropagation();
    dialog.dispatchEvent(new Event('cancel', { cancelable: true }));
  };
  document.addEventListener('focusin', keepFocus);
  document.addEventListener('keydown', onKey, true);
  return () => {
    document.removeEventListener('focusin', keepFocus);
    document.removeEventListener('keydown', onKey, true);
  };
}
