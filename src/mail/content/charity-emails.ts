import { isolated } from '../../common/text/direction.js';
import { fillText } from '../../common/text/fill-text.js';
import type { AccountChange } from './account-change.js';
import type { Settings } from '../../settings/settings.js';
import { type Email, type EmailParts, emailOf } from './email-layout.js';
import { type EmailWording, emailWording } from './email-wording.js';
import { dateInWords } from '../../common/text/local-time.js';

/** Settings of the charity that its e-mails use. */
export type Charity = Pick<Settings, 'organization' | 'legal' | 'theme' | 'timezone'>;

/** Parts that all e-mails of a charity share. */
const frame = ({
  organization,
  legal,
  theme,
}: Charity): Pick<EmailParts, 'organization' | 'brand' | 'footer'> => ({
  organization,
  brand: theme.variables['--brand-color'] ?? theme.variables['--primary-color'],
  footer: [
    legal.legalName || organization,
    ...legal.address
      .split(/\s*\n\s*/u)
      .filter(Boolean)
      .slice(0, 5),
  ],
});

/** Omits a name that contains a link, because a link in the charity's own e-mail would look trustworthy. */
const greetingOf = (wording: EmailWording, name: string | null): string =>
  name === null || holdsLink(name) ? wording.greetingNobody : fillText(wording.greeting, { name });

export interface ReceiptFacts {
  readonly donorName: string | null;
  readonly amount: string;
  readonly receivedOn: string;
  readonly eventName: string;
  readonly number: string;
  readonly isCopy: boolean;
  /** The charity's own page for monthly donations. */
  readonly monthlyUrl: string | null;
}

/** The e-mail with the attached receipt. */
export function receiptEmail(charity: Charity, locale: string, facts: ReceiptFacts, logoId?: string): Email {
  const { language, wording } = emailWording(locale);
  const { receipt } = wording;
  const names = { organization: charity.organization, amount: facts.amount, event: facts.eventName };
  return emailOf({
    ...frame(charity),
    language,
    logoId,
    subject: fillText(receipt.subject, names),
    greeting: greetingOf(wording, facts.donorName),
    paragraphs: [fillText(receipt.thanks, names), facts.isCopy ? receipt.copy : receipt.attached],
    facts: [
      [receipt.amount, facts.amount],
      [receipt.date, facts.receivedOn],
      [receipt.event, facts.eventName],
      [receipt.number, isolated(facts.number, language)],
    ],
    ...(facts.monthlyUrl !== null && { button: { label: receipt.monthly, url: facts.monthlyUrl } }),
    why: fillText(receipt.why, names),
  });
}

export interface PledgeReminderFacts {
  readonly donorName: string | null;
  readonly amount: string;
  readonly pledgedOn: string;
  readonly eventName: string;
  readonly url: string;
  readonly expiresAt: Date;
}

/** The e-mail that reminds a donor of an unpaid pledge, with the link to pay. */
export function pledgeReminderEmail(charity: Charity, locale: string, facts: PledgeReminderFacts): Email {
  const { language, wording } = emailWording(locale);
  const { pledgeReminder } = wording;
  const names = {
    organization: charity.organization,
    amount: facts.amount,
    date: facts.pledgedOn,
    event: facts.eventName,
    until: dateInWords(facts.expiresAt, locale, charity.timezone),
  };
  return emailOf({
    ...frame(charity),
    language,
    subject: fillText(pledgeReminder.subject, names),
    greeting: greetingOf(wording, facts.donorName),
    paragraphs: [pledgeReminder.text, pledgeReminder.pay, pledgeReminder.otherwise].map((text) =>
      fillText(text, names),
    ),
    button: { label: fillText(pledgeReminder.button, names), url: facts.url },
    why: fillText(pledgeReminder.why, names),
  });
}

export interface InvitationFacts {
  readonly name: string | null;
  readonly url: string;
  readonly expiresAt: Date;
  /** True for an invitation, false for a password reset. */
  readonly isNew: boolean;
}

/** The e-mail with the link to choose a password. */
export function invitationEmail(charity: Charity, locale: string, facts: InvitationFacts): Email {
  const { language, wording } = emailWording(locale);
  const { invitation } = wording;
  const names = {
    organization: charity.organization,
    date: dateInWords(facts.expiresAt, locale, charity.timezone, { withTime: true }),
  };
  return emailOf({
    ...frame(charity),
    language,
    subject: fillText(facts.isNew ? invitation.subject : invitation.newPasswordSubject, names),
    greeting: greetingOf(wording, facts.name),
    paragraphs: [
      fillText(facts.isNew ? invitation.text : invitation.newPasswordText, names),
      fillText(invitation.until, names),
    ],
    button: { label: invitation.button, url: facts.url },
    why: fillText(invitation.why, names),
  });
}

export interface AccountChangeFacts {
  readonly name: string | null;
  readonly change: AccountChange;
  readonly at: Date;
  readonly address: string | null;
  readonly client: string | null;
}

/** The e-mail to the owner of an account about a change, with its time and origin. */
export function accountChangeEmail(charity: Charity, locale: string, facts: AccountChangeFacts): Email {
  const { language, wording } = emailWording(locale);
  const { accountChange } = wording;
  const names = { organization: charity.organization };
  // Omits the name of the program if it contains a link, because a program can send any text as its name.
  const client = facts.client === null || holdsLink(facts.client) ? null : facts.client;
  const from = [facts.address, client].filter((one) => one !== null).join(' · ');
  const when = dateInWords(facts.at, locale, charity.timezone, { withTime: true });
  return emailOf({
    ...frame(charity),
    language,
    subject: fillText(accountChange.subject, names),
    greeting: greetingOf(wording, facts.name),
    paragraphs: [fillText(accountChange.changes[facts.change], names), fillText(accountChange.advice, names)],
    facts: [
      [accountChange.when, when],
      [accountChange.from, from || accountChange.server],
    ],
    why: fillText(accountChange.why, names),
  });
}

/** The test e-mail of the settings. */
export function testEmail(charity: Charity, locale: string): Email {
  const { language, wording } = emailWording(locale);
  const names = { organization: charity.organization };
  return emailOf({
    ...frame(charity),
    language,
    subject: fillText(wording.test.subject, names),
    greeting: wording.greetingNobody,
    paragraphs: [fillText(wording.test.text, names)],
    why: fillText(wording.test.why, names),
  });
}

/** Characters that mail programs read as a dot in an address. */
const DOTS = /[\u3002\uFF61\u2024\uFE52]/g;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * Texts that mail programs turn into links: addresses with a scheme, host names, e-mail addresses, telephone numbers. The
 * patterns also match harmless texts such as `Dr.Brown`, to be safe.
 */
const LINKS = [
  /\/\//,
  /\b[a-z][a-z0-9+.-]+:\S/i,
  /[\p{L}\p{N}_-]\.[\p{L}\p{M}]{2,}/u,
  /\bxn--/i,
  /[^\s@]@[^\s@]/,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  /\d(?:[\s()./-]*\d){6,}/,
];

/** True if a text contains a link, or text that a mail program turns into one. */
export function holdsLink(text: string): boolean {
  const seen = text.normalize('NFKC').replace(INVISIBLE, '').replace(DOTS, '.');
  return LINKS.some((link) => link.test(seen));
}
