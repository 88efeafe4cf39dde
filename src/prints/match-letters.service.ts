import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { actorOf, type Principal } from '../common/access/principal.js';
import { formatMoney } from '../common/money/money.js';
import { isolated } from '../common/text/direction.js';
import { fillText } from '../common/text/fill-text.js';
import { dateInWords } from '../common/text/local-time.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { emailWording } from '../mail/content/email-wording.js';
import type { LetterDraw, LetterPool } from '../match/match-letter-facts.service.js';
import { MatchLetterFacts } from '../match/match-letter-facts.service.js';
import { ReceiptIssuers } from '../receipts/receipt-issuers.service.js';
import { SettingsService } from '../settings/settings.service.js';
import type { LetterHead } from './letter-head.js';
import type { MatchLetterToDraw } from './match-letter-pdf.js';
import { MATCH_LETTER_WORDING, type MatchLetterWording } from './match-letter-wording.js';
import { PLEDGE_LETTER_WORDING } from './pledge-letter-wording.js';
import { PRINT_LANGUAGES } from './print-limits.js';

const LETTER: ThreadFunction<MatchLetterToDraw, Uint8Array> = {
  file: threadFile('prints/match-letter-pdf.js'),
  name: 'matchLetterPdf',
};

/** Writes letters to matchers: the sums of a pool, and the donations that drew, without their donors. */
@Injectable()
export class MatchLetters {
  constructor(
    private readonly facts: MatchLetterFacts,
    private readonly events: EventLookup,
    private readonly settings: SettingsService,
    private readonly issuers: ReceiptIssuers,
    private readonly thread: ExportThread,
    private readonly audit: Audit,
  ) {}

  /**
   * Draws the letter in the language of the event.
   * @throws NotFoundError `MATCH_POOL_NOT_FOUND`
   */
  async draw(caller: Principal, id: string): Promise<Uint8Array> {
    const { pool, draws } = await this.facts.of(id);
    const event = await this.events.get(pool.eventId);
    const { locales, timezone } = await this.settings.effective(event.overrides);
    const issuer = await this.issuers.of(event.overrides);
    const own = locales.default;
    const language = PRINT_LANGUAGES.find((one) => one === languageOf(own)) ?? 'en';
    const locale = languageOf(own) === language ? own : language;
    const now = new Date();
    const date = dateInWords(now, locale, timezone, { currency: pool.currency });
    const head: LetterHead = {
      language,
      organization: issuer.organization,
      sender: {
        name: issuer.legalName || issuer.organization,
        lines: issuer.address.split(/\s*\n\s*/u).filter(Boolean),
        signatory: issuer.signatory,
      },
      logo: issuer.logo,
      recipient: pool.matcher === null ? [] : [pool.matcher],
      date,
    };
    const words = MATCH_LETTER_WORDING[language];
    const { greeting, greetingNobody } = emailWording(language).wording;
    const file = await this.thread.bytes(LETTER, {
      ...head,
      createdAt: now,
      greeting: pool.matcher === null ? greetingNobody : fillText(greeting, { name: pool.matcher }),
      regards: PLEDGE_LETTER_WORDING[language].regards,
      ...contentOf(pool, draws, { words, locale, timezone, event: event.name, date }),
    });
    await this.audit.record(actorOf(caller), 'match_pool.letter', id, {});
    return file;
  }
}

interface LetterLook {
  readonly words: MatchLetterWording;
  /** BCP 47. */
  readonly locale: string;
  readonly timezone: string;
  readonly event: string;
  readonly date: string;
}

function contentOf(
  pool: LetterPool,
  draws: readonly LetterDraw[],
  { words, locale, timezone, event, date }: LetterLook,
): Pick<MatchLetterToDraw, 'title' | 'before' | 'sums' | 'after' | 'listTitle' | 'heads' | 'rows' | 'notes'> {
  const { currency, cap, drawn, gifts, kept, settled, due, dueOn } = pool;
  const money = (amount: bigint) => formatMoney(amount, currency, locale);
  // Noon in UTC is the same day almost everywhere.
  const until =
    dueOn === null ? undefined : dateInWords(new Date(`${dueOn}T12:00:00Z`), locale, 'UTC', { currency });
  const values = { pool: pool.name, event, date, until, count: String(gifts), amount: money(due) };
  const pay = until === undefined ? words.paySoon : words.pay;
  const left = gifts - draws.length;
  return {
    title: fillText(words.title, values),
    before: [
      fillText(gifts === 1 ? words.thanksOne : words.thanks, values),
      ...(pool.isRunning ? [words.running] : []),
    ],
    sums: [
      [words.cap, money(cap)],
      [words.drawn, money(drawn)],
      ...(kept > 0n ? [[words.kept, money(kept)] as const] : []),
      [words.settled, money(settled)],
      due < 0n ? [words.overpaid, money(-due)] : [words.due, money(due)],
    ],
    after: [
      ...(pool.isGivenAnyway ? [words.anyway] : []),
      ...(pool.isRunning ? [] : [due > 0n ? fillText(pay, values) : words.nothing]),
    ],
    listTitle: words.list,
    heads: [words.number, words.time, words.amount, words.added],
    rows: draws.map(({ number, givenAt, base, amount }) => [
      isolated(number, locale),
      dateInWords(givenAt, locale, timezone, { withTime: true, currency }),
      money(base),
      money(amount),
    ]),
    notes: [...(left > 0 ? [fillText(words.more, { count: String(left) })] : []), words.noDonors],
  };
}

const languageOf = (locale: string): string => locale.split('-', 1)[0]?.toLowerCase() ?? '';
