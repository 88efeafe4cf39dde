import { isInEea, isQrIban, isSwissIban } from '../common/banking/iban.js';
import { isTransferAmount, paymentText } from '../common/banking/payment-text.js';
import { ADDRESS_LENGTHS, type StructuredAddress } from '../common/banking/swiss-qr-bill.js';
import type { Settings } from '../settings/settings.js';

/** `epc`: the code of the euro area; `qr_bill`: the Swiss QR-bill. */
export const TRANSFER_FORMATS = ['epc', 'qr_bill'] as const;
export type TransferFormat = (typeof TRANSFER_FORMATS)[number];

/** The bank account of the charity, for transfers in one currency. */
export interface TransferAccount {
  readonly format: TransferFormat;
  readonly currency: 'EUR' | 'CHF';
  readonly iban: string;
  /** Empty if unknown. */
  readonly bic: string;
  readonly holder: StructuredAddress;
  /** False if donors get no EPC code. */
  readonly hasCode: boolean;
}

/**
 * Reasons why an event offers no bank transfer. `off`: switched off; `no_account`: no IBAN; `currency`: neither euros nor Swiss
 * francs, or francs to an account outside Switzerland; `no_bic`: an account outside the European Economic Area; `no_address`: a
 * QR-bill needs postal code, town and country.
 */
export const TRANSFER_GAPS = ['off', 'no_account', 'currency', 'no_bic', 'no_address'] as const;
export type TransferGap = (typeof TRANSFER_GAPS)[number];

type AccountSettings = Pick<Settings, 'transfer' | 'legal' | 'organization'>;

/**
 * Returns the account for transfers in a currency, or the reason why the event offers no transfer. Swiss francs need an account in Switzerland or
 * Liechtenstein. A QR-IBAN takes only QR-bills, also in euros.
 * @param currency ISO 4217, lower case
 */
export function transferAccount(settings: AccountSettings, currency: string): TransferAccount | TransferGap {
  const { offer, iban, bic } = settings.transfer;
  if (!offer) return 'off';
  if (iban === '') return 'no_account';
  if (currency !== 'eur' && currency !== 'chf') return 'currency';
  if (currency === 'chf' && !isSwissIban(iban)) return 'currency';
  const format = currency === 'chf' || isQrIban(iban) ? 'qr_bill' : 'epc';
  if (format === 'epc' && bic === '' && !isInEea(iban)) return 'no_bic';
  const holder = holderOf(settings);
  const { postalCode, town, country } = holder;
  if (format === 'qr_bill' && (postalCode === '' || town === '' || country === '')) return 'no_address';
  if (holder.name === '') return 'no_account';
  const hasCode = format === 'qr_bill' || settings.transfer.epcCode;
  return { format, currency: currency === 'chf' ? 'CHF' : 'EUR', iban, bic, holder, hasCode };
}

export const isAccount = (found: TransferAccount | TransferGap): found is TransferAccount =>
  typeof found !== 'string';

/** True if the event offers a bank transfer of this amount, in minor units. */
export const offersTransfer = (settings: AccountSettings, currency: string, amount?: bigint): boolean =>
  isAccount(transferAccount(settings, currency)) && (amount === undefined || isTransferAmount(amount));

function holderOf({ transfer, legal, organization }: AccountSettings): StructuredAddress {
  const { street, buildingNumber, postalCode, town, country } = transfer;
  const name = transfer.name || paymentText(legal.legalName || organization, ADDRESS_LENGTHS.name);
  return { name, street, buildingNumber, postalCode, town, country };
}
