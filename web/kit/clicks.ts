/** Milliseconds for which systems accept the second click of a double click. */
const DOUBLE_CLICK_MS = 500;

/**
 * True for the second click of a double click on a button that opened a dialog. It must not press anything in the
 * dialog or next to it.
 */
export const isOpeningClick = (event: MouseEvent, openedAt: number): boolean =>
  event.detail > 1 && event.timeStamp - openedAt < DOUBLE_CLICK_MS;

/** Stops such a click inside the dialog: for the dialog's capture of clicks. */
export function stopOpeningClick(event: MouseEvent, openedAt: number): void {
  if (!isOpeningClick(event, openedAt)) return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * For a button that changes its meaning, or disappears, when pressed: the second click of a double click does
 * nothing. Key presses always count.
 */
export const once =
  (act: () => unknown) =>
  (event: MouseEvent): void => {
    if (event.detail < 2) act();
  };
