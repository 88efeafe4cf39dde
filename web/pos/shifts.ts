import type { DenominationCount, ShiftDto } from '../../src/shifts/dto/shift.dto.js';
import { ApiError, ask } from './api.js';
import type { Session } from './sessions.js';

export type Shift = ShiftDto;
export type Count = Pick<DenominationCount, 'denomination' | 'quantity'>;

/** Reads the open or counted shift of the member. Null if there is none, `off` if the server is too old for shifts. */
export async function currentShift({ token }: Session): Promise<Shift | null | 'off'> {
  try {
    return await ask<Shift>('/shifts/current', { token });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NO_OPEN_SHIFT') return null;
    if (error instanceof ApiError && error.status === 404) return 'off';
    throw error;
  }
}

export const openShift = (
  { token }: Session,
  device: string | undefined,
  openingFloat: number,
): Promise<Shift> => ask<Shift>('/shifts', { method: 'POST', token, device, body: { openingFloat } });

export const countShift = (
  { token }: Session,
  id: string,
  count: { readonly counts: readonly Count[]; readonly bagNumber?: string; readonly note?: string },
): Promise<Shift> => ask<Shift>(`/shifts/${id}/count`, { method: 'POST', token, body: count });

/** Adds a later count of a drawer. The first count stays stored. */
export const recountShift = (
  { token }: Session,
  id: string,
  count: { readonly counts: readonly Count[]; readonly bagNumber?: string; readonly note?: string },
): Promise<Shift> => ask<Shift>(`/shifts/${id}/recount`, { method: 'POST', token, body: count });

export const signShift = ({ token }: Session, id: string, code: string): Promise<Shift> =>
  ask<Shift>(`/shifts/${id}/sign`, { method: 'POST', token, body: { code } });
