const MARK = '⟪R⟫ ';

/**
 * Shows the band of a rehearsal, which the server has put into the page, and marks the title.
 * @param eventId the event on the screen
 */
export function showRehearsal(eventId: string | undefined): void {
  const band = document.getElementById('rehearsal');
  const isShown = isRehearsal(eventId);
  if (band) band.hidden = !isShown;
  document.title = (isShown ? MARK : '') + document.title.replace(MARK, '');
}

/** The digits are in the page, so that the server alone knows them. */
export const isRehearsal = (eventId: string | undefined): boolean => {
  const digits = document.getElementById('rehearsal')?.dataset['rehearsal'];
  return digits !== undefined && eventId?.endsWith(digits) === true;
};

export const isRehearsalShown = (): boolean => document.getElementById('rehearsal')?.hidden === false;
