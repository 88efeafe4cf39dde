/** Kinds and states of e-mails, as in the database. */

export const EMAIL_KINDS = [
  'receipt',
  'invitation',
  'account_change',
  'pledge_thanks',
  'pledge_reminder',
  'pledge_last',
  'transfer_details',
  'charge_notice',
  'charge_failed',
  'tribute_notice',
  'own_page_link',
  'erasure_requested',
  'missing_address',
  'webhook_disabled',
] as const;
export type EmailKind = (typeof EMAIL_KINDS)[number];
export const EMAIL_STATES = ['queued', 'sent', 'failed', 'bounced'] as const;
export type EmailState = (typeof EMAIL_STATES)[number];
