import type { DonationDto } from '../../src/donations/dto/donation.dto.js';
import { ApiError, ask, NoAnswer } from './api.js';
import type { Session } from './sessions.js';
import { t } from './texts.js';
import { till } from './till.js';

/** Minutes in which the member can still undo a record that the server received at `bookedAt`. The server checks again. */
export const minutesLeft = (bookedAt: string, undoMinutes: number): number =>
  Math.max(0, Math.ceil(undoMinutes - (till.time().getTime() - Date.parse(bookedAt)) / 60_000));

export const isUndoable = (state: string): boolean =>
  state === 'waiting' || state === 'recorded' || state === 'pledged';

/** Result of an undo, or the reason why it failed. */
export interface Undone {
  readonly done: string;
  readonly problem?: string;
}

/** Undoes a record: on this terminal if it was not sent, otherwise on the server. */
export async function undoRecord(
  { key, id }: { key: string; id: string | undefined },
  session: Session,
): Promise<Undone> {
  if (id === undefined) {
    const gone = await till.queue.takeBack(key, session.user.name).catch(() => undefined);
    if (gone === undefined) return { done: '', problem: t('notChanged') };
    till.sender.nudge();
    return { done: gone ? t('undone') : t('undo.pending') };
  }
  try {
    const { status } = await ask<DonationDto>(`/donations/${id}/undo`, {
      method: 'POST',
      token: session.token,
      device: till.terminals.terminal.now?.deviceToken,
    });
    await till.queue.restate(id, status);
    return { done: t('undone') };
  } catch (error) {
    return { done: '', problem: refusalText(error, session.token) };
  }
}

/** Returns the reason of a failed change of a record, in the language of the page. */
export function refusalText(error: unknown, token: string): string {
  if (error instanceof NoAnswer) return t('noAnswer');
  if (!(error instanceof ApiError)) return t('failedHere');
  if (error.status === 401) {
    void till.sessions.ended(token);
    return t('sessionEnded');
  }
  if (error.code === 'UNDO_TOO_LATE') return t('undo.tooLate');
  if (error.code === 'UNDO_SETTLED') return t('undo.settled');
  if (error.code === 'PLEDGE_NOT_OPEN') return t('fulfil.notOpen');
  if (error.status === 404) return t('refused.gone');
  return error.code === 'VALIDATION_FAILED' ? t('refused.field') : t('refused', { code: error.code });
}
