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
  readonly isAmountHidden?: boolean;
}

/** Body of the request. It never changes after it is stored, because a repeated key needs the same body. */
export interface RecordBody extends Donor {
  readonly amount: number;
  readonly type: Kind;
  readonly eventId: string;
  /** ISO 8601, by the clock of the terminal. */
  readonly recordedAt: string;
  readonly confirmed?: true;
  readonly paddle?: string;
  readonly roundId?: string;
  readonly teamId?: string;
}

/** Returns the text without spaces at its ends, or undefined if it is empty. */
export function trimmed(text: string | undefined): string | undefined {
  const words = text?.trim();
  return words === '' ? undefined : words;
}

/** Form of an e-mail address, the same as on the server. */
const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\".]+(\.[^\s@<>()[\],;:\\".]+)+$/;

/** True if the server would refuse the e-mail address. Checked here because the donor can still correct it. */
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

/** A record without a final answer of the server. */
export interface QueuedRecord {
  /** Idempotency key: a random UUID of the record. It stays the same if another member sends the record. */
  readonly key: string;
  readonly owner: { readonly id: string; readonly name: string };
  readonly event: OpenEvent;
  readonly body: RecordBody;
  /**
   * `waiting`: the terminal will send the record. `refused`: the server did not accept it. `unsure`: sent long ago
   * without an answer, so the server may have deleted the key, and a person must check if the record is booked.
   */
  readonly state: 'waiting' | 'refused' | 'unsure';
  /** Time of the first attempt in milliseconds. Since then, the record may be booked. */
  readonly triedAt?: number;
  readonly refusal?: Refusal;
  /** True if the member pressed undo. The terminal undoes the record after the server has booked it. */
  readonly undo?: true;
  /** The booked donation, while its undo is pending. */
  readonly booked?: Pick<DonationDto, 'id' | 'status' | 'createdAt'>;
}

/** Summary of a record that is on the server. It contains no donor data. */
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
  /** Time at which the server received the record. The time limit for an undo starts here. */
  readonly bookedAt: string;
  readonly paddle?: string;
  readonly roundId?: string;
}

/** A manual change of a record. It stays on the terminal when all other data is deleted. */
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

/** The record being entered. */
export interface Draft {
  readonly entry: string;
  readonly kind: Kind | undefined;
  readonly donor: Donor;
}

export const EMPTY_DRAFT: Draft = { entry: '', kind: undefined, donor: {} };
