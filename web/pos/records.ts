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
/** What a pledge can turn into. */
export const RECEIVED = KINDS.filter((kind) => kind !== 'pledge');

/** What a donor may say; everything is optional. */
export interface Donor {
  readonly donorName?: string;
  readonly donorEmail?: string;
  readonly message?: string;
  readonly isAnonymous?: boolean;
}

/** What is sent, exactly: the same key must ask the same, so this never changes once it is kept. */
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

/** What was typed, or undefined where that is nothing. */
export function trimmed(text: string | undefined): string | undefined {
  const words = text?.trim();
  return words === '' ? undefined : words;
}

/** As the service reads it. */
const EMAIL = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\".]+(\.[^\s@<>()[\],;:\\".]+)+$/;

/** Whether the service would refuse the address of a donor: better said while they are still there. */
export const hasBadEmail = ({ donorEmail = '' }: Donor): boolean =>
  donorEmail.trim() !== '' && !EMAIL.test(donorEmail.trim());

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Everything about an event that a terminal needs while it is offline. */
export interface OpenEvent {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
}

/** A record that the service has not answered for yet. */
export interface QueuedRecord {
  /** Idempotency key: a random UUID, which names the record whoever sends it. */
  readonly key: string;
  readonly owner: { readonly id: string; readonly name: string };
  readonly event: OpenEvent;
  readonly body: RecordBody;
  /**
   * `waiting` for its turn; `refused` for good; `unsure`: sent so long ago without an answer that the service may
   * have forgotten the key, so somebody has to look first.
   */
  readonly state: 'waiting' | 'refused' | 'unsure';
  /** When it was first sent, ms; from then on it may have been booked. */
  readonly triedAt?: number;
  readonly refusal?: Refusal;
  /** Take it back as soon as it is known to be booked. */
  readonly undo?: true;
  /** Found to be booked while an undo is due. */
  readonly booked?: Pick<DonationDto, 'id' | 'status' | 'createdAt'>;
}

/** What is left of a record once the service has it: no word about the donor. */
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
  /** When the service got it: the time to take it back runs from there. */
  readonly bookedAt: string;
  readonly paddle?: string;
  readonly roundId?: string;
}

/** What was done to a record by hand; kept on the terminal when everything else is cleared. */
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
