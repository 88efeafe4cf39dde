import type { DonationStatus, DonationType } from '../data/generated/enums.js';
import { formatMoney } from '../common/money/money.js';
import type { PackFacts } from './packs/receipt-pack.js';
import { donorLocale, type ReceiptWording, wordingFor } from './receipt-wording.js';
import { methodInWords } from '../donations/store/method-names.js';
import { fillText } from '../common/text/fill-text.js';
import { isolated } from '../common/text/direction.js';
import { dateInWords } from '../common/text/local-time.js';

/** The issuer of receipts: the organization from the settings. */
export interface ReceiptIssuer {
  readonly organization: string;
  readonly legalName: string;
  readonly taxId: string;
  readonly address: string;
  readonly footer: string;
  readonly signatory: string;
  /** BCP 47 language tag of the event or the organization. */
  readonly locale: string;
  /** The languages that the charity offers. */
  readonly supported: readonly string[];
  /** IANA time zone name, for the dates. */
  readonly timezone: string;
  /** PNG or JPEG. */
  readonly logo: Uint8Array | undefined;
  /** Address of the page that checks receipts, without the code; undefined if the service does not know its address. */
  readonly checkAddress: string | undefined;
}

/** Facts of a receipt. Amounts in minor units. */
export interface ReceiptSubject {
  readonly donationId: string;
  /** `YYYY-NNNNNN`. */
  readonly number: string;
  readonly issuedAt: Date;
  /** True if this receipt was issued earlier, so that this file is a copy. */
  readonly copy: boolean;
  /** True if another receipt replaced this one. Only a sealed receipt is still printed then. */
  readonly isReplaced?: boolean;
  /** Number of the void receipt that this receipt replaces. */
  readonly replaces: string | null;
  readonly status: DonationStatus;
  readonly amount: bigint;
  readonly refundedAmount: bigint;
  readonly currency: string;
  readonly type: DonationType;
  /** The provider's words for the method of an online donation; null if the method was not known. */
  readonly method: string | null;
  readonly wallet: string | null;
  /** The code for the public check; null if the receipt has none. */
  readonly checkCode: string | null;
  readonly donorName: string | null;
  readonly message: string | null;
  readonly donorAddress?: string | null;
  readonly giftAid?: boolean | null;
  readonly receivedAt: Date;
  readonly eventName: string;
  /** Language of the page on which the donor gave. Null for a donation that was recorded. */
  readonly locale: string | null;
  /** The version of the pack that prints the receipt, and its facts; absent for an acknowledgement. */
  readonly pack?: { readonly version: string; readonly facts: PackFacts };
}

/** All texts of a receipt, formatted for its reader. */
export interface ReceiptContent {
  readonly language: string;
  readonly wording: ReceiptWording;
  readonly number: string;
  readonly issuedOn: string;
  readonly issuedAt: Date;
  readonly copy: boolean;
  /** Reason why the receipt is void; undefined for a valid one. */
  readonly voidBecause: string | undefined;
  /** Stamp on a receipt with such a reason. */
  readonly stamp: string;
  /** Text with the number of the receipt that this receipt replaces after a correction. */
  readonly replaces: string | undefined;
  readonly donor: string;
  readonly amount: string;
  /** Amounts after a partial refund. */
  readonly afterRefund: { readonly refunded: string; readonly remaining: string } | undefined;
  readonly details: readonly (readonly [label: string, value: string])[];
  /** Address on which anybody can check this receipt; undefined if there is none. */
  readonly checkAt: string | undefined;
  readonly issuer: ReceiptIssuer;
}

/**
 * Returns the printed form of a receipt number: 2026 and 42 give `2026-000042`. Receipts of a rehearsal have a negative year, and
 * their form is `R-000042`.
 */
export const receiptNumber = (year: number, number: number): string =>
  `${year < 0 ? REHEARSAL : year}-${String(number).padStart(6, '0')}`;

const REHEARSAL = 'R';
const isOfRehearsal = (number: string): boolean => number.startsWith(`${REHEARSAL}-`);

export function receiptContent(subject: ReceiptSubject, issuer: ReceiptIssuer): ReceiptContent {
  const locale = donorLocale({ default: issuer.locale, supported: issuer.supported }, subject.locale);
  const { language, wording } = wordingFor(locale);
  const money = (amount: bigint) => formatMoney(amount, subject.currency, locale);
  const dateOf = (time: Date) => dateInWords(time, locale, issuer.timezone, subject);
  const ofRehearsal = isOfRehearsal(subject.number);
  const partlyRefunded = subject.refundedAmount > 0n && subject.status === 'COMPLETED';
  return {
    language,
    wording,
    number: isolated(subject.number, language),
    issuedOn: dateOf(subject.issuedAt),
    issuedAt: subject.issuedAt,
    copy: subject.copy,
    voidBecause: ofRehearsal ? wording.rehearsalOnly : voidReason(subject.status, wording),
    stamp: ofRehearsal ? wording.rehearsal : wording.void,
    replaces:
      subject.replaces === null
        ? undefined
        : wording.replaces.replace('{number}', isolated(subject.replaces, language)),
    donor: subject.donorName ?? wording.anonymous,
    amount: money(subject.amount),
    afterRefund: partlyRefunded
      ? { refunded: money(subject.refundedAmount), remaining: money(subject.amount - subject.refundedAmount) }
      : undefined,
    details: [
      [wording.received, dateOf(subject.receivedAt)],
      [wording.kind, kindInWords(subject, language, wording)],
      [wording.event, subject.eventName],
      [wording.reference, subject.donationId],
      ...(subject.donorAddress ? [[wording.address, subject.donorAddress] as const] : []),
      ...(subject.giftAid ? [[wording.giftAid, wording.giftAidMade] as const] : []),
      ...(subject.message === null ? [] : [[wording.message, subject.message] as const]),
    ],
    checkAt: checkAtOf(subject, issuer),
    issuer,
  };
}

/** Returns the address on which anybody can check the receipt; undefined if there is none. */
export const checkAtOf = (
  { checkCode }: Pick<ReceiptSubject, 'checkCode'>,
  { checkAddress }: Pick<ReceiptIssuer, 'checkAddress'>,
): string | undefined =>
  checkAddress !== undefined && checkCode !== null ? `${checkAddress}/${checkCode}` : undefined;

/** Returns the kind of a donation with its method, such as "iDEAL, online". */
const kindInWords = (
  { type, method, wallet }: Pick<ReceiptSubject, 'type' | 'method' | 'wallet'>,
  language: string,
  { types, online }: ReceiptWording,
): string =>
  method === null
    ? types[type]
    : fillText(online, { method: isolated(methodInWords(method, wallet, language), language) });

/** Returns the reason why the receipt of a donation is void; undefined for a valid one. */
export function voidReason(
  status: DonationStatus,
  wording: ReceiptWording,
  isReplaced = false,
): string | undefined {
  if (isReplaced) return wording.voidReplaced;
  if (status === 'REFUNDED') return wording.voidRefunded;
  return status === 'COMPLETED' ? undefined : wording.voidCancelled;
}

/** Returns the calendar year of a time in a time zone. Each year has its own receipt numbers. */
export function yearIn(timezone: string, time: Date): number {
  return Number(
    new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', { year: 'numeric', timeZone: timezone }).format(time),
  );
}
