/** Why an e-mail was not taken. */
export interface SmtpFailure {
  /**
   * `bounced`: this address will never take it. `later`: not now. `away`: the server itself cannot be used, so
   * neither can any other e-mail go.
   */
  readonly kind: 'bounced' | 'later' | 'away';
  /** In the server's words, one line. */
  readonly says: string;
}

/** What nodemailer adds to its errors. */
interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** A server that does not like us, our password or our sender says nothing about the recipient. */
const ABOUT_THE_EMAIL = new Set(['RCPT TO', 'DATA']);
const LONGEST = 300;

export function smtpFailure(error: unknown): SmtpFailure {
  if (!(error instanceof Error)) return { kind: 'later', says: 'unknown' };
  const { command, response, responseCode } = error as SmtpError;
  const says = oneLine(response ?? error.message);
  if (responseCode === undefined) return { kind: 'away', says };
  if (!ABOUT_THE_EMAIL.has(command ?? '')) return { kind: 'away', says };
  // 421: the server closes the connection; it may say so at any time.
  if (responseCode === 421) return { kind: 'away', says };
  return { kind: responseCode >= 500 ? 'bounced' : 'later', says };
}

const oneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST);

/** For what is kept: mail servers repeat the address that they refuse. */
export const withoutAddresses = (text: string): string =>
  text.replace(/[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/g, '…@…');
