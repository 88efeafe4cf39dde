import { isolated } from '../../common/text/direction.js';
import { fillText } from '../../common/text/fill-text.js';
import { dateInWords } from '../../common/text/local-time.js';
import { type Charity, frame, greetingOf } from './charity-emails.js';
import { chargeWording } from './charge-wording.js';
import { type Email, emailOf } from './email-layout.js';
import { emailWording } from './email-wording.js';

export interface ChargeNoticeFacts {
  readonly name: string;
  readonly eventName: string;
  readonly total: string;
  /** Amounts of the pledges, if there are several. */
  readonly amounts: readonly string[];
  /** Brand and last digits. */
  readonly card: string;
  /** Page on which the guest changes or deletes the card. */
  readonly changeUrl: string;
  readonly stopUrl: string;
}

/** The notice a day before a saved card is charged. */
export function chargeNoticeEmail(charity: Charity, locale: string, facts: ChargeNoticeFacts): Email {
  const { language, wording: shared } = emailWording(locale);
  const { notice, why } = chargeWording(language);
  const names = { organization: charity.organization, event: facts.eventName, amount: facts.total };
  return emailOf({
    ...frame(charity),
    language,
    subject: fillText(notice.subject, names),
    greeting: greetingOf(shared, facts.name),
    paragraphs: [fillText(notice.text, names), notice.change],
    facts: [
      [notice.card, isolated(facts.card, language)],
      ...facts.amounts.map((amount) => [shared.receipt.amount, amount] as const),
    ],
    buttons: [
      { label: notice.stop, url: facts.stopUrl },
      { label: notice.button, url: facts.changeUrl },
    ],
    why: fillText(why, names),
  });
}

export interface ChargeFailedFacts {
  readonly name: string;
  readonly eventName: string;
  readonly amount: string;
  /** True if the bank asks for the owner of the card. */
  readonly asksOwner: boolean;
  readonly payUrl: string;
  readonly payUntil: Date;
}

/** The e-mail after a charge that the bank did not allow, with the link to pay the pledge. */
export function chargeFailedEmail(charity: Charity, locale: string, facts: ChargeFailedFacts): Email {
  const { language, wording: shared } = emailWording(locale);
  const { failed, why } = chargeWording(language);
  const names = {
    organization: charity.organization,
    event: facts.eventName,
    amount: facts.amount,
    until: dateInWords(facts.payUntil, locale, charity.timezone),
  };
  const says = (text: string) => fillText(text, names);
  return emailOf({
    ...frame(charity),
    language,
    subject: says(failed.subject),
    greeting: greetingOf(shared, facts.name),
    paragraphs: [says(facts.asksOwner ? failed.confirm : failed.declined), says(failed.pay)],
    buttons: [{ label: says(failed.button), url: facts.payUrl }],
    why: says(why),
  });
}
