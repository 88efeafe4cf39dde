/**
 * Opens a modal dialog. Safari before 15.4 has no modal dialogs; there the dialog covers the page and keeps the focus,
 * and the Escape key sends its `cancel` event.
 * @returns a function that closes the dialog
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
  // Handles the key before the page does. Otherwise Escape would also clear the input behind the dialog.
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
