import * as z from 'zod';
import { compact, ibanProblem, isBic } from '../common/banking/iban.js';
import { isPaymentText, PAYMENT_PATTERN } from '../common/banking/payment-text.js';
import { ADDRESS_LENGTHS } from '../common/banking/swiss-qr-bill.js';
import { flag, text } from './setting-values.js';

/** Settings of donations by bank transfer. */

const NO_IBAN = {
  form: 'must be an IBAN such as DE89 3704 0044 0532 0130 00',
  country: 'must be an IBAN of a country in the SEPA area',
  length: 'has not the length of an IBAN of its country',
  check: 'has a wrong digit: the check digits do not match',
} as const;

/** An IBAN, stored without spaces in capital letters. Its check digits must match. */
const iban = () =>
  z
    .string('must be a string')
    .overwrite(compact)
    .superRefine((given, context) => {
      const problem = ibanProblem(given);
      if (problem !== undefined) context.addIssue(NO_IBAN[problem]);
    })
    .meta({ maxLength: 42, format: 'iban' });

const NO_BIC = 'must be a BIC with 8 or 11 characters';

const bic = () =>
  z
    .string('must be a string')
    .overwrite(compact)
    .refine(isBic, NO_BIC)
    .meta({ maxLength: 11, pattern: '^([A-Za-z0-9]{4}[A-Za-z]{2}[A-Za-z0-9]{2}([A-Za-z0-9]{3})?)?$' });

/** A text with the letters that banks accept. */
const line = (max: number) =>
  text(max)
    .refine(isPaymentText, 'must have only Latin letters, as banks require')
    .meta({ maxLength: max, pattern: PAYMENT_PATTERN });

const country = () =>
  z
    .string('must be a string')
    .overwrite((given) => given.trim().toUpperCase())
    .regex(/^[A-Z]{2}$/, 'must be a country code with two letters, such as CH')
    .meta({ maxLength: 2, pattern: '^([A-Za-z]{2})?$' });

export const TRANSFER = z
  .object({
    offer: flag()
      .meta({
        example: true,
        description:
          'True if the donate page offers a bank transfer. This also needs `iban` and an event in euros or Swiss francs',
      })
      .default(true),
    iban: iban()
      .meta({ example: 'DE89370400440532013000', description: 'Bank account that receives the transfers' })
      .default(''),
    bic: bic()
      .meta({
        example: 'COBADEFFXXX',
        description:
          'BIC of the bank; required for transfers in euros to an account outside the European Economic Area',
      })
      .default(''),
    name: line(ADDRESS_LENGTHS.name)
      .meta({
        example: 'Example Foundation e.V.',
        description: 'Account holder; by default the legal name, or the name of the organization',
      })
      .default(''),
    street: line(ADDRESS_LENGTHS.street)
      .meta({ example: 'Bahnhofstrasse', description: 'Address of the account holder, printed on QR-bills' })
      .default(''),
    buildingNumber: line(ADDRESS_LENGTHS.buildingNumber)
      .meta({ example: '12', description: 'Building number of the account holder' })
      .default(''),
    postalCode: line(ADDRESS_LENGTHS.postalCode)
      .meta({ example: '8001', description: 'QR-bills need the postal code, the town and the country' })
      .default(''),
    town: line(ADDRESS_LENGTHS.town)
      .meta({ example: 'Zürich', description: 'Town of the account holder' })
      .default(''),
    country: country().meta({ example: 'CH', description: 'ISO 3166-1, two letters' }).default(''),
    epcCode: flag()
      .meta({
        example: false,
        description:
          'False hides the EPC code, where banks of the donors rarely read it. The bank details stay; QR-bills keep their code',
      })
      .default(true),
    days: z
      .int('must be a whole number of days')
      .min(1, 'must be from 1 to 365')
      .max(365, 'must be from 1 to 365')
      .meta({
        example: 30,
        description: 'Days until an open transfer is cancelled. Money that arrives later is still booked',
      })
      .default(30),
  })
  .meta({ id: 'TransferSettingsDto', description: 'Donations by bank transfer' });
