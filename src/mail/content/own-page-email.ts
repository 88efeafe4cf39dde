import { fillText } from '../../common/text/fill-text.js';
import { dateInWords } from '../../common/text/local-time.js';
import { type Charity, frame } from './charity-emails.js';
import { type Email, emailOf } from './email-layout.js';
import { emailWording } from './email-wording.js';
import { type OwnPageEmail, ownPageWording } from './own-page-wording.js';

/** Path of the donor's own page. */
export const OWN_PAGE_PATH = '/me';

/**
 * An e-mail with an address of the donor's own page. It contains no name, because several people may share an address.
 * @param expiresAt end of the link; null for an address that always works
 */
export function ownPageEmail(
  kind: OwnPageEmail,
  charity: Charity,
  locale: string,
  { url, expiresAt }: { readonly url: string; readonly expiresAt: Date | null },
): Email {
  const { language, wording: shared } = emailWording(locale);
  const wording = ownPageWording(language)[kind];
  const names = {
    organization: charity.organization,
    until: expiresAt ? dateInWords(expiresAt, locale, charity.timezone, { withTime: true }) : '',
  };
  return emailOf({
    ...frame(charity),
    language,
    subject: fillText(wording.subject, names),
    greeting: shared.greetingNobody,
    paragraphs: wording.paragraphs.map((paragraph) => fillText(paragraph, names)),
    buttons: [{ label: wording.button, url }],
    why: fillText(wording.why, names),
  });
}
