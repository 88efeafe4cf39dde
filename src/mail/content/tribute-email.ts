import { fillText } from '../../common/text/fill-text.js';
import { holdsLink } from '../../common/text/holds-link.js';
import { type Charity, frame } from './charity-emails.js';
import { type Email, emailOf } from './email-layout.js';
import { emailWording } from './email-wording.js';
import { tributeWording } from './tribute-wording.js';

export interface TributeFacts {
  readonly kind: 'honour' | 'memory';
  /** Name of the person who is honoured or remembered. */
  readonly name: string;
  readonly message: string | null;
  /** Null if the donor is anonymous. */
  readonly donorName: string | null;
  readonly stopUrl: string;
}

/**
 * The e-mail to the person whom a tribute notifies. It never contains the amount. The reader did not ask for it, so it
 * invites to nothing: it has no button and no link to donate.
 */
export function tributeEmail(charity: Charity, locale: string, facts: TributeFacts): Email {
  const { language, wording: shared } = emailWording(locale);
  const wording = tributeWording(language);
  const words = wording[facts.kind];
  // A name that contains a link would look trustworthy in the charity's own e-mail.
  const donor = facts.donorName === null || holdsLink(facts.donorName) ? null : facts.donorName;
  const names = { organization: charity.organization, name: facts.name, donor: donor ?? undefined };
  const says = (text: string) => fillText(text, names);
  const lines = facts.message?.split(/\s*\n\s*/u).filter(Boolean) ?? [];
  return emailOf({
    ...frame(charity),
    language,
    subject: says(words.subject),
    greeting: shared.greetingNobody,
    paragraphs: [
      says(donor === null ? words.anonymous : words.named),
      ...(lines.length > 0 ? [wording.message, ...lines] : []),
      says(wording.report),
    ],
    links: [{ label: wording.stop, url: facts.stopUrl }],
    why: says(wording.why),
  });
}
