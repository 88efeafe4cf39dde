import type * as z from 'zod';
import type { ReceiptFinding as Finding } from '../../common/errors/error-body.js';
import type { WORD_LANGUAGES } from '../../common/money/amount-in-words.js';
import { yearEndAfter } from '../../common/text/accounting-year.js';
import type { DonationType } from '../../data/generated/enums.js';

export type { Finding };

/*
 * A pack prints the receipts that the tax office of one country accepts. It is data and one pure function, `render`. A new pack is
 * one file in this folder, and its registration in `registry.ts`. The dashboard draws its form from `settings` and `form`.
 */

/** Facts that a receipt prints. They are stored with the number, so that a later copy prints the same. Amounts in minor units. */
export interface PackFacts<Legal = Readonly<Record<string, unknown>>> {
  /** Days in the time zone of the organization, `YYYY-MM-DD`. */
  readonly receivedOn: string;
  readonly issuedOn: string;
  readonly currency: string;
  readonly amount: number;
  readonly refunded: number;
  /** Value of the benefit that the donor received; null if none was entered, absent in receipts of earlier releases. */
  readonly benefitValue?: number | null;
  readonly benefitText?: string | null;
  readonly type: DonationType;
  readonly donorName: string | null;
  /** Lines of the address. */
  readonly donorAddress: string | null;
  readonly organization: PackOrganization;
  /** The settings `legal.<id of the pack>`. */
  readonly legal: Legal;
}

/** The issuer, as in the settings. An absent text is empty. */
export interface PackOrganization {
  readonly name: string;
  readonly address: string;
  readonly signatory: string;
}

/** A required field: its name, and its value in the facts. */
export type Requirement<Legal> = readonly [
  field: string,
  value: (facts: PackFacts<Legal>) => string | readonly string[] | null,
];

/** Facts of the number that was issued. */
export interface PackNumber {
  /** `YYYY-NNNNNN`. */
  readonly number: string;
  /** `YYYY-MM-DD` */
  readonly issuedOn: string;
  /** Number of the void receipt that this receipt replaces. */
  readonly replaces: string | null;
}

/** A part of a page, from the top to the bottom. */
export type PackBlock =
  | { readonly kind: 'heading' | 'text' | 'strong' | 'small'; readonly text: string }
  /** Fields in one row: a label above a value. */
  | { readonly kind: 'fields'; readonly fields: readonly PackField[] }
  /** Rows below labels. Only a document about many gifts has tables; it continues on further pages. */
  | { readonly kind: 'table'; readonly columns: readonly PackColumn[]; readonly rows: readonly string[][] }
  /** The end of a page; the next page begins with the heading of an annex. */
  | { readonly kind: 'annex'; readonly text: string }
  /** Lines above and below the place for a signature. */
  | {
      readonly kind: 'signature';
      readonly above: string;
      readonly below: string;
      /** Printed in the place of the signature. */
      readonly name: string;
    };

export interface PackField {
  readonly label: string;
  readonly value: string;
  /** Width as a share of the page; the shares of a row add up to 1. */
  readonly share: number;
}

export interface PackColumn {
  readonly label: string;
  /** Width as a share of the page; the shares of a table add up to 1. */
  readonly share: number;
  /** True for a column of amounts, which are aligned at its end. */
  readonly isEnd?: boolean;
}

export interface PackDocument {
  /** Language of the fixed texts. */
  readonly language: string;
  readonly title: string;
  readonly blocks: readonly PackBlock[];
}

/** How long the charity must keep the double of a receipt. After the erasure of its donor, the printed content stays sealed so long. */
export interface PackRetention {
  readonly years: number;
  /**
   * The years count from the day of the issue, or from the end of its calendar year or accounting year. The accounting year counts
   * only if it ends later than the calendar year, because many organizations do not enter its end.
   */
  readonly from: 'calendar-year' | 'accounting-year' | 'issue';
  /** The provision, as its readers quote it. */
  readonly law: string;
}

/** A text in each language of the dashboard. */
export type Words = Readonly<Record<FormLanguage, string>>;

export type FormLanguage = (typeof WORD_LANGUAGES)[number];

/** Words of one setting. Its kind, its length and its choices follow from the schema of the settings. */
export interface SettingWords {
  readonly label: Words;
  readonly hint?: Words;
  /** Words of the choices by value, in their order. */
  readonly choices?: Readonly<Record<string, Words>>;
  /** Another setting, and the value with which this setting is shown; absent: always. */
  readonly shownIf?: readonly [name: string, value: string | boolean];
}

export type PackForm<Legal> = { readonly [Name in keyof Legal]: SettingWords };

export interface ReceiptPack<Legal = Readonly<Record<string, unknown>>> {
  /** Country code in lower case. */
  readonly id: string;
  /** Date of the texts, such as `de-2026-01`. A change of a text makes a new version. */
  readonly version: string;
  /** Name and date of the practitioner who has read the printed samples; null: not reviewed. */
  readonly reviewed: { readonly by: string; readonly on: string } | null;
  /** Where the texts and rules come from. */
  readonly sources: readonly string[];
  readonly retention: PackRetention;
  readonly maxPages: number;
  /** True if the law allows no other words on the page, not even the address of the public check. */
  readonly hasBindingWords?: boolean;
  /** True if the law asks for a file that cannot be altered readily. */
  readonly isLocked?: boolean;
  readonly requiredOrganization: readonly Requirement<Legal>[];
  readonly requiredDonor: readonly Requirement<Legal>[];
  /** The settings of the organization for this country, `legal.<id>`. */
  readonly settings: z.ZodObject;
  /** The words of each setting, in the order of the form. */
  readonly form: PackForm<Legal>;
  readonly render: (facts: PackFacts<Legal>, number: PackNumber) => PackDocument;
  /** Finds wrong or outdated values. It need not look for missing ones. */
  readonly check: (facts: PackFacts<Legal>) => readonly Finding[];
  readonly proof?: PackProof<Legal>;
  readonly annual?: PackAnnual<Legal>;
  readonly collective?: PackCollective<Legal>;
  /** Settings that end soon. `today` is `YYYY-MM-DD`. */
  readonly warn?: (legal: Legal, today: string) => readonly PackWarning[];
}

/** A document for small donations that counts together with the statement of a bank. It has no number, and is not stored. */
export interface PackProof<Legal = Readonly<Record<string, unknown>>> {
  readonly fileName: string;
  /** Required fields of the receipt that the proof does not need. */
  readonly without: readonly string[];
  /** True if the law allows the proof for this donation. */
  readonly covers: (facts: PackFacts<Legal>) => boolean;
  readonly render: (facts: PackFacts<Legal>) => PackDocument;
}

/** The gifts of one donor in a period. Name, address, organization and settings are the same in all of them. */
export interface AnnualFacts<Legal = Readonly<Record<string, unknown>>> {
  /** First and last day, `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
  /** Language of the donor, BCP 47. */
  readonly locale: string;
  /** At least one, in the order of their days. */
  readonly gifts: readonly PackFacts<Legal>[];
}

/** A document about all gifts of a donor in a period. It has no number, and is not stored. */
export interface PackAnnual<Legal = Readonly<Record<string, unknown>>> {
  readonly render: (facts: AnnualFacts<Legal>) => PackDocument;
}

/**
 * The receipt about all gifts of a donor in a calendar year. It has a number of the receipts, and its facts are stored. A gift is in
 * one collective or one single receipt, never in both.
 */
export interface PackCollective<Legal = Readonly<Record<string, unknown>>> {
  readonly render: (facts: AnnualFacts<Legal>, number: PackNumber) => PackDocument;
}

/** A setting that counts for a short time only, or no longer. */
export interface PackWarning {
  readonly field: string;
  /** Last day on which it counts, `YYYY-MM-DD`. */
  readonly until: string;
}

/** Returns the findings about a receipt: missing fields first. Empty: the receipt can be issued. */
export function findingsOf(pack: ReceiptPack, facts: PackFacts): readonly Finding[] {
  const missing = [...pack.requiredOrganization, ...pack.requiredDonor]
    .filter(([, value]) => isEmpty(value(facts)))
    .map(([field]): Finding => ({ field, rule: 'missing' }));
  const found = new Set(missing.map(({ field }) => field));
  return [...missing, ...pack.check(facts).filter(({ field }) => !found.has(field))];
}

/** Returns the findings about an annual document, each one once. */
export function annualFindingsOf(pack: ReceiptPack, { gifts }: AnnualFacts): readonly Finding[] {
  const found = gifts.flatMap((gift) => findingsOf(pack, gift));
  return [...new Map(found.map((finding) => [`${finding.field} ${finding.rule}`, finding])).values()];
}

const isEmpty = (value: string | readonly string[] | null): boolean =>
  value === null || (typeof value === 'string' ? value.trim() === '' : value.length === 0);

/** The part of the donation that counts as a gift: the amount less refunds and the benefit that the donor received. */
export const deductible = ({
  amount,
  refunded,
  benefitValue,
}: Pick<PackFacts, 'amount' | 'refunded' | 'benefitValue'>): number =>
  amount - refunded - (benefitValue ?? 0);

/** A benefit needs its description and its value: one without the other is a missing field. */
export function benefitFindings({ benefitValue, benefitText }: PackFacts): Finding[] {
  const value = benefitValue ?? null;
  const isDescribed = (benefitText ?? '') !== '';
  if (value === null) return isDescribed ? [{ field: 'benefitValue', rule: 'missing' }] : [];
  return value > 0 && !isDescribed ? [{ field: 'benefitText', rule: 'missing' }] : [];
}

/** Returns the lines of an address or a name with its address. */
export const linesOf = (text: string | null): string[] => (text ?? '').split(/\s*\n\s*/u).filter(Boolean);

/**
 * Last day on which the double of a receipt is kept.
 * @param issuedOn `YYYY-MM-DD`
 * @param yearEnd last day of each accounting year, `MM-DD`
 * @returns `YYYY-MM-DD`
 */
export function keptUntil({ years, from }: PackRetention, issuedOn: string, yearEnd: string): string {
  const calendar = yearEndAfter(issuedOn, '12-31', years);
  if (from === 'calendar-year') return calendar;
  if (from === 'accounting-year') {
    const accounting = yearEndAfter(issuedOn, yearEnd, years);
    return accounting > calendar ? accounting : calendar;
  }
  const later = `${Number(issuedOn.slice(0, 4)) + years}${issuedOn.slice(4)}`;
  // A year without 29 February keeps it a day longer.
  return new Date(`${later}T00:00:00Z`).toISOString().slice(0, 10);
}

/** Returns the next day, both `YYYY-MM-DD`. */
export function dayAfter(day: string): string {
  const time = new Date(`${day}T00:00:00Z`);
  time.setUTCDate(time.getUTCDate() + 1);
  return time.toISOString().slice(0, 10);
}
