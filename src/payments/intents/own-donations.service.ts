import { Injectable, Logger } from '@nestjs/common';
import { DomainError } from '../../common/errors/domain-errors.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { Database } from '../../data/database.js';
import { noSuchDonation, donationById } from '../../donations/store/donation-store.js';
import type { DonationRow } from '../../donations/store/donation-columns.js';
import { donationOfToken } from '../../donations/donors/donor-token.js';
import type { PublicTribute } from '../../donations/tributes/tribute.js';
import { type OwnDraw, OwnMatches } from '../../match/own-matches.service.js';
import { EventLookup } from '../../events/event-lookup.service.js';
import { SettingsService } from '../../settings/settings.service.js';
import { type OwnDonationDto, toOwnDonation, type UnpaidState } from './dto/own-donation.dto.js';
import { STANDING, type StandingRow } from './own-donations.sql.js';
import { PaymentFacts } from '../booking/facts.service.js';
import { ProviderQuestions } from './provider-questions.js';
import { PaymentProviders } from '../providers/payment-providers.js';
import { TransferReferences } from '../../transfers/transfer-references.service.js';

/** Contents of the thank-you page for a completed donation. */
export interface OwnThanks {
  /** Absent if the donor gave no name or hides it, because the donor may have shared the address of the page. */
  readonly name?: string;
  /** Rank of the donor among the donors of the event and currency, by their first completed donation: 3 for the third donor. */
  readonly donorNumber?: number;
  /** The donation on the wall: with the name, as anonymous, with a name that waits for approval, or with a hidden name. */
  readonly wall: 'named' | 'anonymous' | 'held' | 'hidden';
  readonly paysPledge: boolean;
  /** The tribute, unless a moderator has hidden it. */
  readonly tribute?: PublicTribute;
  /** True if a person gets an e-mail about the tribute. */
  readonly isTold: boolean;
  /** Sums that match pools added, or would have added with enough money. */
  readonly matched: readonly OwnDraw[];
}

/**
 * True if the payment was booked from a webhook event, and this service has not read the payment from the
 * provider yet. Events contain neither the method nor the wallet's e-mail address. Without this read, the
 * page would ask the donor for the address.
 */
const mayLackDetails = ({
  status,
  donor_email: email,
  method,
  checked_at: checkedAt,
}: DonationRow): boolean =>
  status === 'COMPLETED' && (email === null || method === null) && checkedAt === null;

/** Shows donors their own donation. The token comes from the intent. */
@Injectable()
export class OwnDonations {
  private readonly logger = new Logger(OwnDonations.name);

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly providers: PaymentProviders,
    private readonly facts: PaymentFacts,
    private readonly questions: ProviderQuestions,
    private readonly transfers: TransferReferences,
    private readonly matches: OwnMatches,
  ) {}

  /**
   * Returns the state of the donation. For an unpaid donation, the service asks the provider and books the answer. So
   * the state is correct even if a webhook event was lost.
   * @param fresh if true, waits for a new provider answer, because the donor has just paid
   * @throws NotFoundError `DONATION_NOT_FOUND`
   */
  async read(token: string, { fresh = false } = {}): Promise<OwnDonationDto> {
    const notBefore = fresh ? performance.now() : -Infinity;
    const before = await this.find(token);
    const unpaid = before.status === 'PENDING' || before.status === 'FAILED';
    const asks = unpaid || (fresh && mayLackDetails(before));
    const unpaidState = asks ? await this.stateOf(before, notBefore) : undefined;
    const donation = asks ? ((await donationById(this.database, before.id)) ?? before) : before;
    const event = await this.events.get(donation.event_id);
    const { receiptDownload } = (await this.settings.effective(event.overrides)).donation;
    const transfer = await this.transfers.unpaid(donation);
    const match = await this.matches.of(donation.id);
    return toOwnDonation(donation, event, unpaidState ?? { state: 'open' }, receiptDownload, transfer, match);
  }

  /**
   * Returns the contents of the thank-you page for a completed donation; undefined in any other state.
   * @param countsDonors false at an event with many donors, because counting them takes long
   */
  async thanks(
    token: string,
    { countsDonors }: { readonly countsDonors: boolean },
  ): Promise<OwnThanks | undefined> {
    const donation = await this.find(token);
    if (donation.status !== 'COMPLETED') return undefined;
    const [standing] = await this.database.query<StandingRow>(STANDING, [donation.id, countsDonors]);
    const matches = await this.matches.of(donation.id);
    const name = donation.is_anonymous ? null : donation.donor_name;
    const tribute = donation.tribute_state === 'hidden' ? null : donation.tribute;
    return {
      ...(name !== null && { name }),
      ...(standing?.donor_number && { donorNumber: standing.donor_number }),
      wall: name === null ? 'anonymous' : donation.name_state === 'visible' ? 'named' : donation.name_state,
      paysPledge: standing?.pays_pledge ?? false,
      ...(tribute && { tribute: { kind: tribute.kind, name: tribute.name } }),
      isTold: Boolean(tribute?.notifyEmail),
      matched: matches.state === 'known' ? matches.draws : [],
    };
  }

  /** Payment id of the donation for its capture; undefined if there is no payment. */
  async paymentOf(token: string): Promise<string | undefined> {
    return (await this.find(token)).payment_id ?? undefined;
  }

  private async find(token: string): Promise<DonationRow> {
    const id = donationOfToken(this.keys, token);
    const donation = id === undefined ? undefined : await donationById(this.database, id);
    if (!donation) throw noSuchDonation();
    return donation;
  }

  private async stateOf(donation: DonationRow, notBefore: number): Promise<UnpaidState> {
    const { id, provider, payment_id: paymentId } = donation;
    if (paymentId === null) return { state: 'open' };
    const asked = await this.questions.ask(id, () => this.ask(provider, paymentId), { notBefore });
    return asked ?? { state: 'unconfirmed' };
  }

  private async ask(name: string | null, paymentId: string): Promise<UnpaidState> {
    try {
      const provider = this.providers.ofDonation(name);
      const facts = await provider.readPayment(paymentId);
      // Do not book an approval here: only an action of the donor captures an approved payment, and this method only
      // reads.
      await this.facts.book(
        provider,
        facts.filter(({ kind }) => kind !== 'approved'),
      );
      // With an unknown status, the money may have moved. So the page must not ask the donor to pay again.
      const waiting = facts.find(({ kind }) => kind === 'processing' || kind === 'unknown');
      if (!waiting) return { state: 'open' };
      const waitsFor = waiting.kind === 'processing' ? waiting.waitsFor : undefined;
      return { state: 'processing', ...(waitsFor && { waitsFor }) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.logger.warn({ msg: 'Reading the payment state failed', code: error.code });
      return { state: 'unconfirmed' };
    }
  }
}
