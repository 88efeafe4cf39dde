import { isolated } from '../../common/text/direction.js';
import { fillText } from '../../common/text/fill-text.js';
import { holdsLink } from '../../common/text/holds-link.js';
import type { AccountChange } from './account-change.js';
import type { Settings } from '../../settings/settings.js';
import { chargeWording } from './charge-wording.js';
import { type Email, type EmailParts, emailOf } from './email-layout.js';
import { type EmailWording, emailWording } from './email-wording.js';
import { matchWording } from './match-wording.js';
import { tributeWording } from './tribute-wording.js';
import { ownPageWording } from './own-page-wording.js';
import { transferWording } from './transfer-wording.js';
import { webhookWording } from './webhook-wording.js';
import { dateInWords } from '../../common/text/local-time.js';

/** Settings of the charity that its e-mails use. */
export interface Charity extends Pick<Settings, 'organization' | 'theme' | 'timezone'> {
  readonly legal: Pick<Settings['legal'], 'legalName' | 'taxId' | 'address' | 'footer'>;
}

/** Parts that all e-mails of a charity share. */
export const frame = ({
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
export const greetingOf = (wording: EmailWording, name: string | null): string =>
  name === null || holdsLink(name) ? wording.greetingNobody : fillText(wording.greeting, { name });

/** A person who is honoured or remembered. */
interface TributeInEmail {
  readonly kind: 'honour' | 'memory';
  readonly name: string;
}

/** The sentence about the tribute in an e-mail to the donor. */
export const tributeLine = (language: string, tribute: TributeInEmail | null | undefined): string[] =>
  tribute ? [fillText(tributeWording(language)[tribute.kind].line, { name: tribute.name })] : [];

/** A sum that a donation drew from a match pool, as printed. */
export interface MatchInEmail {
  readonly amount: string;
  /** Undefined if the matcher is anonymous. */
  readonly matcher: string | undefined;
  /** The amount of the donation, if the pool had less left than the donation could draw. */
  readonly given: string | undefined;
}

/** The sentences about match pools in the e-mail to the donor. Omits a name that contains a link, as greetings do. */
const matchLines = (language: string, matches: readonly MatchInEmail[]): string[] => {
  const { drew, drewAnonymous, drewPart } = matchWording(language);
  return matches.map(({ amount, matcher, given }) =>
    given !== undefined
      ? fillText(drewPart, { amount, given })
      : matcher === undefined || holdsLink(matcher)
        ? fillText(drewAnonymous, { amount })
        : fillText(drew, { amount, matcher }),
  );
};

export interface ReceiptFacts {
  readonly donorName: string | null;
  readonly amount: string;
  readonly receivedOn: string;
  readonly eventName: string;
  readonly number: string;
  readonly isCopy: boolean;
  /** True if a simplified proof for the German tax office is attached too. */
  readonly hasProof?: boolean;
  /** The charity's own page for monthly donations. */
  readonly monthlyUrl: string | null;
  /** True if a saved card was charged while the donor was away. The e-mail then says how to object. */
  readonly isCharge: boolean;
  readonly tribute?: TributeInEmail | null;
  /** Sums that the donation drew from match pools; empty if that is not known. The receipt itself never contains them. */
  readonly matches?: readonly MatchInEmail[];
  /** Address of the page with all donations of the reader. */
  readonly ownPageUrl: string;
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
    paragraphs: [
      fillText(receipt.thanks, names),
      ...tributeLine(language, facts.tribute),
      ...matchLines(language, facts.matches ?? []),
      facts.isCopy ? receipt.copy : receipt.attached,
      ...(facts.hasProof ? [receipt.proof] : []),
      ...(facts.isCharge ? [fillText(chargeWording(language).charged, names)] : []),
    ],
    facts: [
      [receipt.amount, facts.amount],
      [receipt.date, facts.receivedOn],
      [receipt.event, facts.eventName],
      [receipt.number, isolated(facts.number, language)],
    ],
    ...(facts.monthlyUrl !== null && { buttons: [{ label: receipt.monthly, url: facts.monthlyUrl }] }),
    links: [{ label: ownPageWording(language).link, url: facts.ownPageUrl }],
    why: fillText(receipt.why, names),
  });
}

/** A pledge in an e-mail. */
export interface PledgeInEmail {
  readonly amount: string;
  readonly pledgedOn: string;
  /** The link to pay online. */
  readonly payUrl: string;
}

/** Bank details for the pledges of an e-mail, as printed. */
export interface PledgeTransfer {
  readonly holder: string;
  readonly iban: string;
  /** In the order of the pledges. */
  readonly references: readonly string[];
}

export interface PledgeEmailFacts {
  readonly kind: 'pledge_thanks' | 'pledge_reminder' | 'pledge_last';
  readonly donorName: string | null;
  readonly eventName: string;
  readonly total: string;
  /** At least one pledge. */
  readonly pledges: readonly PledgeInEmail[];
  /** Bank account for a transfer, and the reference of each pledge, as printed. Undefined if a pledge offers none. */
  readonly transfer?: PledgeTransfer | undefined;
  /** The day until which the links to pay are valid. */
  readonly payUntil: Date;
  readonly cannotKeepUrl: string;
  readonly unsubscribeUrl: string;
}

/** An e-mail about the open pledges of a donor at an event. */
export function pledgeEmail(charity: Charity, locale: string, facts: PledgeEmailFacts): Email {
  const { language, wording } = emailWording(locale);
  const { pledge } = wording;
  const { pledges } = facts;
  const isOne = pledges.length === 1;
  const names = {
    organization: charity.organization,
    amount: facts.total,
    date: pledges[0]?.pledgedOn,
    event: facts.eventName,
    until: dateInWords(facts.payUntil, locale, charity.timezone),
  };
  const said = facts.kind === 'pledge_thanks' ? pledge.thanks : pledge.reminder;
  const subjects = {
    pledge_thanks: pledge.thanks.subject,
    pledge_reminder: pledge.reminder.subject,
    pledge_last: pledge.last.subject,
  };
  return emailOf({
    ...frame(charity),
    language,
    subject: fillText(subjects[facts.kind], names),
    greeting: greetingOf(wording, facts.donorName),
    paragraphs: [
      isOne ? said.text : said.textMany,
      isOne ? pledge.pay : pledge.payMany,
      ...(facts.kind === 'pledge_thanks' ? [] : [pledge.reminder.paid]),
      ...(facts.kind === 'pledge_last' ? [pledge.last.note] : []),
    ].map((text) => fillText(text, names)),
    facts: [
      ...(isOne ? [] : pledges.map(({ pledgedOn, amount }) => [pledgedOn, amount] as const)),
      ...(facts.transfer ? transferFacts(language, facts.transfer, pledges) : []),
    ],
    buttons: pledges.map(({ amount, payUrl: url }) => ({ label: fillText(pledge.button, { amount }), url })),
    links: [
      { label: pledge.cannotKeep, url: facts.cannotKeepUrl },
      { label: pledge.unsubscribe, url: facts.unsubscribeUrl },
    ],
    why: fillText(pledge.why, names),
  });
}

/** Bank details below the other facts: one account, and one reference for each pledge. */
function transferFacts(
  language: string,
  { holder, iban, references }: PledgeTransfer,
  pledges: readonly PledgeInEmail[],
): (readonly [string, string])[] {
  const wording = transferWording(language);
  return [
    [wording.orTo, holder],
    ['IBAN', isolated(iban, language)],
    ...references.map((reference, index): readonly [string, string] => [
      pledges.length === 1
        ? wording.referenceLabel
        : `${wording.referenceLabel}, ${pledges[index]?.amount ?? ''}`,
      isolated(reference, language),
    ]),
  ];
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
    buttons: [{ label: invitation.button, url: facts.url }],
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

/** The e-mail to an administrator about a webhook endpoint that the server disabled. */
export function webhookDisabledEmail(
  charity: Charity,
  locale: string,
  facts: { readonly name: string | null; readonly endpoint: string },
): Email {
  const { language, wording } = emailWording(locale);
  const own = webhookWording(language);
  const names = { organization: charity.organization, endpoint: facts.endpoint };
  return emailOf({
    ...frame(charity),
    language,
    subject: fillText(own.subject, names),
    greeting: greetingOf(wording, facts.name),
    paragraphs: [fillText(own.text, names), fillText(own.advice, names)],
    why: fillText(own.why, names),
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
