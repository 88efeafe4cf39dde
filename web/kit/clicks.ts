/** Maximum time between the two clicks of a double click, as in common operating systems. */
const DOUBLE_CLICK_MS = 500;

/**
 * True for the second click of a double click on a button that opened a dialog. This second click must not press a
 * button in the dialog or close the dialog.
 */
export const isOpeningClick = (event: MouseEvent, openedAt: number): boolean =>
  event.detail > 1 && event.timeStamp - openedAt < DOUBLE_CLICK_MS;

/** Stops the second click of a double click inside a dialog. For the `onClickCapture` of the dialog. */
export function stopOpeningClick(event: MouseEvent, openedAt: number): void {
  if (!isOpeningClick(event, openedAt)) return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * For a button that changes its meaning or disappears when pressed. The second click of a double click has no effect.
 * Key presses always have an effect.
 */
export const once =
  (act: () => unknown) =>
  (event: MouseEvent): void => {
    if (event.detail < 2) act();
  };
