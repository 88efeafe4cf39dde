import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { ConflictError } from '../common/errors/domain-errors.js';
import { formatMoney } from '../common/money/money.js';
import { isolated } from '../common/text/direction.js';
import { fillText } from '../common/text/fill-text.js';
import { dateInWords } from '../common/text/local-time.js';
import { Database } from '../data/database.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';
import type { DonationRow } from '../donations/store/donation-columns.js';
import { assertDonationId, assertSeen, donationById } from '../donations/store/donation-store.js';
import { EventLookup } from '../events/event-lookup.service.js';
import type { EventRecord } from '../events/event-record.js';
import { emailWording } from '../mail/content/email-wording.js';
import { PledgeContacts } from '../pledges/emails/pledge-contacts.service.js';
import { PledgeLanguages, totalOf } from '../pledges/emails/pledge-emails.service.js';
import { isOpenPledge } from '../pledges/payment-links.service.js';
import { WaysToPay } from '../pledges/ways-to-pay.js';
import { ReceiptIssuers } from '../receipts/receipt-issuers.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { PledgeLettersDto } from './dto/pledge-letter.dto.js';
import { PRINT_LANGUAGES, type PrintLanguage } from './print-limits.js';
import { modulesOf } from '../documents/pdf/code-modules.js';
import { inFours } from '../common/banking/iban.js';
import { printedReference } from '../common/banking/transfer-reference.js';
import { transferWording } from '../mail/content/transfer-wording.js';
import type { PaymentPart } from '../transfers/payment-part-pdf.js';
import { paymentPartOf } from '../transfers/payment-part.service.js';
import { codeRows } from '../transfers/transfer-code.js';
import type { TransferDetails } from '../transfers/transfer-details.js';
import type { DrawnTransfer, LettersToDraw, LetterToDraw } from './pledge-letter-pdf.js';
import { PLEDGE_LETTER_WORDING } from './pledge-letter-wording.js';

const LETTERS: ThreadFunction<LettersToDraw, Uint8Array> = {
  file: threadFile('prints/pledge-letter-pdf.js'),
  name: 'pledgeLettersPdf',
};

/** Writes letters about unpaid pledges, for donors without an e-mail address and for those who did not answer. */
@Injectable()
export class PledgeLetters {
  constructor(
    private readonly database: Database,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly issuers: ReceiptIssuers,
    private readonly ways: WaysToPay,
    private readonly languages: PledgeLanguages,
    private readonly contacts: PledgeContacts,
    private readonly thread: ExportThread,
    private readonly audit: Audit,
  ) {}

  /**
   * Draws one letter for each donor at each event. Pledges that are not open are left out.
   * @throws NotFoundError `DONATION_NOT_FOUND`; ConflictError `PLEDGE_NOT_OPEN` if no pledge is open
   */
  async draw(caller: Principal, { donationIds, language }: PledgeLettersDto): Promise<Buffer> {
    const open: DonationRow[] = [];
    for (const id of new Set(donationIds)) {
      assertDonationId(id);
      const pledge = await donationById(this.database, id);
      assertSeen(caller, pledge);
      if (isOpenPledge(pledge)) open.push(pledge);
    }
    if (open.length === 0) throw new ConflictError('PLEDGE_NOT_OPEN', 'None of the pledges is open');
    const letters: LetterToDraw[] = [];
    for (const pledges of byDonor(open)) letters.push(await this.letter(pledges, language));
    const [{ title, sender }] = letters as [LetterToDraw, ...LetterToDraw[]];
    const file = await this.thread.bytes(LETTERS, {
      title,
      author: sender.name,
      createdAt: new Date(),
      letters,
    });
    await this.database.transaction(async (tx) => {
      await this.contacts.wroteLetters(
        tx,
        open.map(({ id }) => id),
      );
      const subject = open.length === 1 ? (open[0]?.id ?? null) : null;
      await this.audit.record(actorOf(caller), 'pledge.letters', subject, { pledges: open.length }, tx);
    });
    return file;
  }

  private async letter(
    pledges: readonly [DonationRow, ...DonationRow[]],
    chosen: PrintLanguage | undefined,
  ): Promise<LetterToDraw> {
    const [first] = pledges;
    const event = await this.events.get(first.event_id);
    const { locales, timezone } = await this.settings.effective(event.overrides);
    const issuer = await this.issuers.of(event.overrides);
    const own = await this.languages.of(locales, first);
    const language = chosen ?? PRINT_LANGUAGES.find((one) => one === languageOf(own)) ?? 'en';
    const locale = languageOf(own) === language ? own : language;
    const words = PLEDGE_LETTER_WORDING[language];
    const { greeting, greetingNobody, pledge: said } = emailWording(language).wording;
    const drawn = await Promise.all(
      pledges.map((pledge) => this.pledge(pledge, event, { locale, timezone, alt: words.alt })),
    );
    const until = drawn.flatMap(({ expiresAt }) => expiresAt)[0];
    const { donor_name: name } = first;
    const values = {
      amount: totalOf(pledges, locale),
      event: event.name,
      date: dateOf(first, locale, timezone),
      until: until && dateInWords(until, locale, timezone),
    };
    const text = pledges.length === 1 ? said.reminder.text : said.reminder.textMany;
    return {
      language,
      organization: issuer.organization,
      sender: {
        name: issuer.legalName || issuer.organization,
        lines: linesOf(issuer.address),
        signatory: issuer.signatory,
      },
      logo: issuer.logo,
      recipient: [name ?? '', ...linesOf(first.donor_address ?? '')].filter(Boolean),
      date: dateInWords(new Date(), locale, timezone, first),
      title: words.title,
      greeting: name === null ? greetingNobody : fillText(greeting, { name }),
      before: [fillText(text, values), until ? fillText(words.pay, values) : words.contact],
      pledges: drawn.map(({ amount, what, ways }) => ({ amount, what, ways })),
      transfers: drawn.flatMap(({ transfer }) => transfer),
      bills: drawn.flatMap(({ bill }) => bill),
      after: [said.reminder.paid, words.cannotKeep],
      regards: words.regards,
    };
  }

  /** The bank details of a pledge with the EPC code, or its QR-bill; nothing if its event offers no transfer. */
  private async transfer(
    pledge: DonationRow,
    locale: string,
  ): Promise<{ transfer: DrawnTransfer[]; bill: PaymentPart[] }> {
    const details = await this.ways.transfer(pledge);
    if (!details) return { transfer: [], bill: [] };
    return details.format === 'qr_bill'
      ? { transfer: [], bill: [await paymentPartOf(details, locale)] }
      : { transfer: [await drawnTransfer(details, locale)], bill: [] };
  }

  private async pledge(
    pledge: DonationRow,
    event: EventRecord,
    { locale, timezone, alt }: { readonly locale: string; readonly timezone: string; readonly alt: string },
  ) {
    const links = await this.ways.of(pledge, event);
    const amount = formatMoney(pledge.amount, pledge.currency, locale);
    const ways = links.map(async ({ url }) => ({
      rows: await modulesOf(url, 'M'),
      address: url,
      alt: fillText(alt, { amount }),
    }));
    return {
      amount,
      what: `${isolated(event.name, locale)} · ${isolated(dateOf(pledge, locale, timezone), locale)}`,
      ways: await Promise.all(ways),
      ...(await this.transfer(pledge, locale)),
      expiresAt: links.map(({ expiresAt }) => expiresAt),
    };
  }
}

/** Bank details as printed: the same characters as in the code. */
async function drawnTransfer(details: TransferDetails, locale: string): Promise<DrawnTransfer> {
  const wording = transferWording(languageOf(locale));
  const { holder, iban, bic, reference, payload } = details;
  const lines: [string, string][] = [
    [wording.holder, holder.name],
    ['IBAN', isolated(inFours(iban), locale)],
    ...(bic === '' ? [] : [['BIC', isolated(bic, locale)] as [string, string]]),
    [wording.amount, formatMoney(details.amount, details.currency.toLowerCase(), locale)],
    [wording.referenceLabel, isolated(printedReference(reference), locale)],
  ];
  return {
    title: wording.orTransfer,
    lines,
    code:
      payload === '' ? undefined : { rows: await codeRows(payload), alt: wording.scan, scan: wording.scan },
  };
}

/** Groups pledges by event and donor: by the e-mail address, or by the guest. A pledge without both stands alone. */
function byDonor(pledges: readonly DonationRow[]): [DonationRow, ...DonationRow[]][] {
  const donors = new Map<string, [DonationRow, ...DonationRow[]]>();
  for (const pledge of pledges) {
    const donor = pledge.donor_key?.toString('hex') ?? pledge.guest_id ?? pledge.id;
    const key = `${pledge.event_id} ${donor}`;
    const known = donors.get(key);
    if (known) known.push(pledge);
    else donors.set(key, [pledge]);
  }
  return [...donors.values()];
}

const dateOf = (pledge: DonationRow, locale: string, timezone: string): string =>
  dateInWords(pledge.recorded_at ?? pledge.created_at, locale, timezone, pledge);

const linesOf = (text: string): string[] => text.split(/\s*\n\s*/u).filter(Boolean);

const languageOf = (locale: string): string => locale.split('-', 1)[0]?.toLowerCase() ?? '';
