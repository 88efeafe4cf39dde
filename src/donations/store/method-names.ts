/**
 * Names of payment methods for readers. The keys are the words of the providers. This file imports nothing,
 * because the dashboard uses it too.
 */

/** Names that are the same in all languages. */
const BRANDS: Readonly<Record<string, string>> = {
  affirm: 'Affirm',
  afterpay_clearpay: 'Clearpay',
  alipay: 'Alipay',
  amazon_pay: 'Amazon Pay',
  apple_pay: 'Apple Pay',
  bancontact: 'Bancontact',
  billie: 'Billie',
  bizum: 'Bizum',
  blik: 'BLIK',
  boleto: 'Boleto',
  cashapp: 'Cash App Pay',
  eps: 'eps',
  fpx: 'FPX',
  giropay: 'giropay',
  google_pay: 'Google Pay',
  grabpay: 'GrabPay',
  ideal: 'iDEAL',
  kakao_pay: 'Kakao Pay',
  klarna: 'Klarna',
  konbini: 'Konbini',
  link: 'Link',
  mb_way: 'MB WAY',
  mobilepay: 'MobilePay',
  multibanco: 'Multibanco',
  mybank: 'MyBank',
  naver_pay: 'Naver Pay',
  oxxo: 'OXXO',
  p24: 'Przelewy24',
  pay_by_bank: 'Pay by Bank',
  paynow: 'PayNow',
  paypal: 'PayPal',
  payto: 'PayTo',
  pix: 'Pix',
  promptpay: 'PromptPay',
  revolut_pay: 'Revolut Pay',
  samsung_pay: 'Samsung Pay',
  satispay: 'Satispay',
  sofort: 'Sofort',
  swish: 'Swish',
  trustly: 'Trustly',
  twint: 'TWINT',
  upi: 'UPI',
  venmo: 'Venmo',
  wechat_pay: 'WeChat Pay',
  zip: 'Zip',
};

/** Names of direct debit systems. */
const DEBITS: Readonly<Record<string, string>> = {
  acss_debit: 'ACSS',
  au_becs_debit: 'BECS',
  bacs_debit: 'Bacs',
  nz_bank_account: 'BECS NZ',
  sepa_debit: 'SEPA',
  us_bank_account: 'ACH',
};

/** The providers' words for direct debit. */
export const DEBIT_METHODS: readonly string[] = Object.keys(DEBITS);

interface Words {
  readonly card: string;
  readonly transfer: string;
  /** Text with `{system}`. */
  readonly debit: string;
}

const ENGLISH: Words = { card: 'Card', transfer: 'Bank transfer', debit: '{system} Direct Debit' };

const WORDS: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  de: { card: 'Karte', transfer: 'Überweisung', debit: '{system}-Lastschrift' },
  fr: { card: 'Carte', transfer: 'Virement', debit: 'Prélèvement {system}' },
  es: { card: 'Tarjeta', transfer: 'Transferencia', debit: 'Adeudo directo {system}' },
  it: { card: 'Carta', transfer: 'Bonifico', debit: 'Addebito diretto {system}' },
  nl: { card: 'Kaart', transfer: 'Overschrijving', debit: '{system}-incasso' },
  ar: { card: 'بطاقة', transfer: 'تحويل مصرفي', debit: 'خصم مباشر {system}' },
};

/**
 * Returns the name of a method and its wallet in a language, such as `iDEAL` or `Card (Apple Pay)`. An unknown word of a
 * provider is returned as it is.
 * @param language such as `de`; English for a language without words
 */
export function methodInWords(method: string, wallet: string | null, language: string): string {
  const words = WORDS[language] ?? ENGLISH;
  const name = nameOf(method, words);
  return wallet === null ? name : `${name} (${nameOf(wallet, words)})`;
}

function nameOf(word: string, words: Words): string {
  if (word === 'card') return words.card;
  if (word === 'customer_balance') return words.transfer;
  const system = own(DEBITS, word);
  return system === undefined ? (own(BRANDS, word) ?? word) : words.debit.replace('{system}', system);
}

const own = (names: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(names, word) ? names[word] : undefined;

/** All words of providers for which a name is known. SQL statements replace these words by their names. */
export const KNOWN_METHODS: readonly string[] = [
  'card',
  'customer_balance',
  ...DEBIT_METHODS,
  ...Object.keys(BRANDS),
];
