/** Reason why the mail server did not accept an e-mail. */
export interface SmtpFailure {
  /**
   * `bounced`: the mail server refused the address permanently. `later`: it refused the address temporarily. `away`: it accepts
   * no e-mails at all.
   */
  readonly kind: 'bounced' | 'later' | 'away';
  /** The server's message, in one line. */
  readonly says: string;
}

/** Fields that nodemailer adds to its errors. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** Only errors of these commands concern the recipient. Errors of other commands concern our password or our sender address. */
const ABOUT_THE_EMAIL = new Set(['RCPT TO', 'DATA']);
const LONGEST = 300;

export function smtpFailure(error: unknown): SmtpFailure {
  if (!(error instanceof Error)) return { kind: 'later', says: 'unknown' };
  const { command, response, responseCode } = error as SmtpError;
  const says = oneLine(response ?? error.message);
  if (responseCode === undefined) return { kind: 'away', says };
  if (!ABOUT_THE_EMAIL.has(command ?? '')) return { kind: 'away', says };
  // 421: the server closes the connection. It may send this code in reply to any command.
  if (responseCode === 421) return { kind: 'away', says };
  return { kind: responseCode >= 500 ? 'bounced' : 'later', says };
}

const oneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST);

/**
 * Removes addresses from a message of the mail server before the message is stored, because mail servers repeat refused
 * addresses.
 */
export const withoutAddresses = (text: string): string =>
  text.replace(/[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/g, '…@…');
