import type { RecordDonationDto } from '../../src/donations/dto/record-donation.dto.js';
import type { DonationDto } from '../../src/donations/dto/donation.dto.js';

export type Kind = RecordDonationDto['type'];
export const KINDS = [
  'cash',
  'card_terminal',
  'check',
  'bank_transfer',
  'pledge',
  'other',
] as const satisfies Kind[];
/** Kinds with which a pledge can be paid. */
export const RECEIVED = KINDS.filter((kind) => kind !== 'pledge');

/** Donor data; all fields are optional. */
export interface Donor {
  readonly donorName?: string;
  readonly donorEmail?: string;
  readonly message?: string;
  readonly isAnonymous?: boolean;
}

/** Request body. It never changes after it was stored, because the same key must always send the same body. */
export interface RecordBody extends Donor {
  readonly amount: number;
  readonly type: Kind;
  readonly eventId: string;
  /** ISO 8601, by the clock of the terminal. */
  readonly recordedAt: string;
  readonly confirmed?: true;
  readonly paddle?: string;
  readonly roundId?: string;
}

/** The typed text, or undefined if it is empty. */
export function trimmed(text: string | undefined): string | undefined {
  const words = text?.trim();
  return words === '' ? undefined : words;
}

/** Normalized in the same way as on the server. */
const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\".]+(\.[^\s@<>()[\],;:\\".]+)+$/;

/** True if the server would refuse the donor's address: the donor is still there to correct it. */
export const hasBadEmail = ({ donorEmail = '' }: Donor): boolean =>
  donorEmail.trim() !== '' && !EMAIL.test(donorEmail.trim());

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Data of an event that a terminal needs while it is offline. */
export interface OpenEvent {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
}

/** A record that the server has not answered for yet. */
export interface QueuedRecord {
  /** Idempotency key: a random UUID that identifies the record, whoever sends it. */
  readonly key: string;
  readonly owner: { readonly id: string; readonly name: string };
  readonly event: OpenEvent;
  readonly body: RecordBody;
  /**
   * `waiting`: to be sent; `refused`: not accepted; `unsure`: sent so long ago without an answer that the server
   * may have forgotten the key, so a person must check first.
   */
  readonly state: 'waiting' | 'refused' | 'unsure';
  /** Time of the first attempt in milliseconds; the record may be booked since then. */
  readonly triedAt?: number;
  readonly refusal?: Refusal;
  /** Undo the record as soon as it is known to be booked. */
  readonly undo?: true;
  /** The record is booked and its undo is pending. */
  readonly booked?: Pick<DonationDto, 'id' | 'status' | 'createdAt'>;
}

/** The part of a record that remains after the server has it: no donor data. */
export interface SentRecord {
  readonly key: string;
  readonly id: string;
  readonly ownerId: string;
  readonly eventId: string;
  readonly amount: number;
  readonly currency: string;
  readonly type: Kind;
  readonly status: DonationDto['status'];
  readonly recordedAt: string;
  /** Time of arrival on the server: the time to undo starts here. */
  readonly bookedAt: string;
  readonly paddle?: string;
  readonly roundId?: string;
}

/** A manual change of a record, kept on the terminal when everything else is cleared. */
export interface LogEntry {
  readonly at: string;
  readonly who: string;
  readonly action: 'discarded' | 'mended' | 'taken back' | 'cleared';
  readonly amount: number;
  readonly currency: string;
  readonly type: Kind;
  readonly recordedAt: string;
  readonly key: string;
  readonly newKey?: string;
  readonly reason?: string;
}
