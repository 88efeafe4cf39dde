/** As long as systems wait for the second click of a double click. */
const DOUBLE_CLICK_MS = 500;

/** The second click of a double click on what opened a dialog, which is meant for nothing in it, nor for what is beside it. */
export const isOpeningClick = (event: MouseEvent, openedAt: number): boolean =>
  event.detail > 1 && event.timeStamp - openedAt < DOUBLE_CLICK_MS;

/** Keeps it from everything in the dialog: for the dialog's capture of clicks. */
export function stopOpeningClick(event: MouseEvent, openedAt: number): void {
  if (!isOpeningClick(event, openedAt)) return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * For a button that changes its meaning, or leaves its place to another one, when it is pressed: the second click of a
 * double click does nothing. Keys, which are pressed on what has the focus, always count.
 */
export const once =
  (act: () => unknown) =>
  (event: MouseEvent): void => {
    if (event.detail < 2) act();
  };
