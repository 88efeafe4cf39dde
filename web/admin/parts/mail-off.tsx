import { t } from '../../desk/texts.js';
import { useMe } from '../me.js';

/** Says that the server sends no e-mail, next to an option that needs e-mail. Shows nothing while that is not known. */
export function MailOff({ text = 'mail.off' }: { text?: 'mail.off' | 'mail.offInvite' | 'mail.offNotices' }) {
  return useMe()?.emailIsOn === false ? <p class="note note--warn">{t(text)}</p> : null;
}
