import { t } from '../../desk/texts.js';
import { useMe } from '../me.js';

/**
 * Warns next to an option that needs e-mail that the server sends no e-mail. Shows nothing while this is
 * unknown.
 */
export function MailOff({ text = 'mail.off' }: { text?: 'mail.off' | 'mail.offInvite' | 'mail.offNotices' }) {
  return useMe()?.emailIsOn === false ? <p class="note note--warn">{t(text)}</p> : null;
}
