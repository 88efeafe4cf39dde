import { isolated } from '../../common/text/direction.js';
import { fillText } from '../../common/text/fill-text.js';
import { type Charity, frame, greetingOf, tributeLine } from './charity-emails.js';
import { type Email, emailOf } from './email-layout.js';
import { emailWording } from './email-wording.js';
import { transferWording } from './transfer-wording.js';

export interface TransferFacts {
  readonly donorName: string | null;
  readonly eventName: string;
  readonly amount: string;
  readonly holder: string;
  /** As printed, in groups. */
  readonly iban: string;
  /** Empty if unknown. */
  readonly bic: string;
  /** As printed, in groups. */
  readonly reference: string;
  /** End of the time to pay. */
  readonly until: string;
  /** Address of the page with the bank details. */
  readonly url: string;
  /** Content id of the picture of the code; undefined without a code. */
  readonly codeId: string | undefined;
  readonly tribute: { readonly kind: 'honour' | 'memory'; readonly name: string } | null;
}

/** The e-mail with the bank details of a transfer. */
export function transferEmail(charity: Charity, locale: string, facts: TransferFacts): Email {
  const { language, wording: shared } = emailWording(locale);
  const wording = transferWording(language);
  const names = {
    organization: charity.organization,
    amount: facts.amount,
    event: facts.eventName,
    until: facts.until,
  };
  const says = (text: string) => fillText(text, names);
  return emailOf({
    ...frame(charity),
    language,
    subject: says(wording.subject),
    greeting: greetingOf(shared, facts.donorName),
    paragraphs: [
      says(wording.text),
      ...tributeLine(language, facts.tribute),
      says(wording.reference),
      says(wording.next),
    ],
    facts: [
      [wording.amount, facts.amount],
      [wording.holder, facts.holder],
      ['IBAN', isolated(facts.iban, language)],
      ...(facts.bic === '' ? [] : [['BIC', isolated(facts.bic, language)] as const]),
      [wording.referenceLabel, isolated(facts.reference, language)],
    ],
    ...(facts.codeId !== undefined && { code: { contentId: facts.codeId, label: wording.scan } }),
    buttons: [{ label: wording.button, url: facts.url }],
    why: says(wording.why),
  });
}
