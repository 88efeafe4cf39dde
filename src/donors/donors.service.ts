import { Injectable, Logger } from '@nestjs/common';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { isId, timeOfId } from '../common/crypto/ids.js';
import { withoutWildcards } from '../common/text/text.js';
import { Database } from '../data/database.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import { claimsOn } from '../donations/store/claims.js';
import { toDonation } from '../donations/dto/donation.dto.js';
import {
  DONATIONS_OF_PERSON,
  FOUND,
  LATEST,
  type PersonRow,
  PERSONS,
  type PersonTotalRow,
  TOTALS_OF_PERSONS,
  noSuchDonor,
  personRef,
} from './donors.sql.js';
import { donorKeyOf } from '../donations/recording/new-donation.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { NotifiedPersons } from '../tributes/notified-persons.service.js';
import { KeptRecords } from './kept-records.service.js';
import type { DonorDto, DonorListDto, ListDonorsDto, PersonDto } from './dto/donor.dto.js';
import { toJsonAmount } from '../common/money/money.js';

const DEFAULT_LIMIT = 50;
const MOST_SHOWN = 1_000;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

export type DonationAtEvent = DonationRow & { readonly event_name: string };

/** Finds donors at all events by name or e-mail address, with their totals. */
@Injectable()
export class DonorsService {
  private readonly logger = new Logger(DonorsService.name);

  constructor(
    private readonly database: Database,
    private readonly records: KeptRecords,
    private readonly keys: KeyRing,
    private readonly notified: NotifiedPersons,
  ) {}

  /** Returns one page of donors, sorted by latest donation. Omits erased donors. */
  async list({ search, limit = DEFAULT_LIMIT, cursor }: ListDonorsDto): Promise<DonorListDto> {
    if (cursor && !isId(cursor))
      throw new InvalidInputError('CURSOR_INVALID', 'cursor does not belong to this list');
    const rows = await this.database.query<{ id: string; donor_key: Buffer | null }>(
      search ? FOUND : LATEST,
      [cursor ?? null, limit + 1, ...(search ? [patternOf(search)] : [])],
    );
    const shown = rows.slice(0, limit);
    const keys = shown.flatMap(({ donor_key }) => donor_key ?? []);
    const alone = shown.filter(({ donor_key }) => donor_key === null).map(({ id }) => id);
    const persons = new Map((await this.persons(keys, alone)).map((person) => [person.key, person]));
    const named =
      search?.includes('@') && !cursor ? await this.toldPerson(donorKeyOf(this.keys, search)) : undefined;
    const data = shown.flatMap(({ id, donor_key }) => persons.get(donor_key?.toString('hex') ?? id) ?? []);
    return {
      data: named && !data.some(({ key }) => key === named.key) ? [named, ...data] : data,
      cursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    };
  }

  /** @throws NotFoundError `DONOR_NOT_FOUND` */
  async person(key: string): Promise<PersonDto> {
    const ref = personRef(key);
    const kept = await this.records.wouldKeep(ref);
    const [known] = await this.persons(...ref.values);
    const told = await this.toldPerson(ref.donorKey ?? null);
    const person: DonorDto | undefined =
      known && told?.notified ? Object.assign(known, { notified: told.notified }) : (known ?? told);
    if (!person) throw noSuchDonor();
    const { donations: donationCount, ...facts } = person;
    const donations = await this.donationsOf(key, MOST_SHOWN);
    const claims = await claimsOn(this.database, donations);
    return {
      ...facts,
      erased: person.name === null && person.email === null,
      donationCount,
      donations: donations.map((row) => ({
        ...toDonation(row, claims.get(row.id)),
        eventName: row.event_name,
      })),
      ...(kept && { kept }),
    };
  }

  /** Returns a person whom tributes of donors notify; undefined if no tribute names the address. */
  private async toldPerson(addressKey: Buffer | null): Promise<DonorDto | undefined> {
    const told = addressKey ? await this.notified.told(addressKey, MOST_SHOWN) : [];
    const [latest] = told;
    if (!addressKey || !latest) return undefined;
    return {
      key: addressKey.toString('hex'),
      name: null,
      email: latest.tribute.notifyEmail,
      donations: 0,
      totals: [],
      lastDonationAt: timeOfId(latest.id).toISOString(),
      notified: told.length,
    };
  }

  /** Returns a donor's donations, newest first. */
  async donationsOf(key: string, most: number): Promise<DonationAtEvent[]> {
    return await this.database.query<DonationAtEvent>(DONATIONS_OF_PERSON, [...personRef(key).values, most]);
  }

  private async persons(keys: readonly Buffer[], alone: readonly string[]): Promise<DonorDto[]> {
    const [persons, totals] = await Promise.all([
      this.database.query<PersonRow>(PERSONS, [keys, alone]),
      this.database.query<PersonTotalRow>(TOTALS_OF_PERSONS, [keys, alone]),
    ]);
    const totalsOf = new Map<string, PersonTotalRow[]>();
    for (const total of totals) totalsOf.set(total.key, [...(totalsOf.get(total.key) ?? []), total]);
    return persons.map(({ key, name, email, last_id }) => {
      const own = totalsOf.get(key) ?? [];
      return {
        key,
        name,
        email,
        donations: own.reduce((sum, { donations }) => sum + donations, 0),
        totals: own.flatMap((total) => this.totalsInRange(total)),
        lastDonationAt: timeOfId(last_id).toISOString(),
      };
    });
  }

  /** Omits a sum that is too large for JSON, so that the donor and the list are still shown. */
  private totalsInRange({ key, currency, amount }: PersonTotalRow): { currency: string; amount: number }[] {
    if (amount <= MAX_SAFE) return [{ currency, amount: toJsonAmount(amount) }];
    this.logger.error({ msg: 'Donor total out of range', donor: key, currency });
    return [];
  }
}

const patternOf = (search: string): string => `%${withoutWildcards(search)}%`;
