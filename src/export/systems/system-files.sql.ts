import pg from 'pg';
import type { DonationCondition } from '../../donations/list/donation-condition.js';
import { text } from '../donations-csv.sql.js';
import { decimal, words } from '../exported-donations.sql.js';
import { contactsOf, COUNTRY_IN_WORDS, type GiftDefaults, giftsOf } from './gifts.sql.js';
import type { System } from './system-names.js';

/** A column: its heading, and the expression for its cells on the rows of `giftsOf`. */
type Column = readonly [heading: string, expression: string, isText?: 'text'];

export interface SystemFile {
  readonly name: string;
  readonly columns: readonly Column[];
  /** True for one row of each contact; otherwise one row of each donation. */
  readonly isOfContacts: boolean;
}

const written = (heading: string, column: string): Column => [heading, text(column), 'text'];
const blank = (heading: string): Column => [heading, 'NULL::text'];

/** These systems read an address line by line, so a street of two lines becomes one line. */
const STREET_IN_ONE_LINE = String.raw`(regexp_replace(street, E'[\\r\\n]+', ', ', 'g'))`;

/** A short id of a donation in at most 20 characters. */
const SHORT_ID = `'fds-' || right(replace(id::text, '-', ''), 16)`;

const NET = decimal('net');
const IN_UPPER_CASE = 'upper(currency)';

/** Salesforce Nonprofit Success Pack: one row has the contact and the donation, as the object DataImport__c. */
const npsp = ({ accounting }: GiftDefaults): readonly SystemFile[] => [
  {
    name: 'npsp-data-import.csv',
    isOfContacts: false,
    columns: [
      [accounting.salesforceContactId, 'contact_id'],
      written('Contact1_Firstname__c', 'first_name'),
      // The field has 80 characters. `Name_As_Given` has the whole name.
      written('Contact1_Lastname__c', '(left(last_name, 80))'),
      written('Contact1_Personal_Email__c', 'email'),
      written('Home_Street__c', 'street'),
      written('Home_City__c', 'city'),
      blank('Home_State_Province__c'),
      written('Home_Zip_Postal_Code__c', 'postcode'),
      [`Home_Country__c`, COUNTRY_IN_WORDS],
      ['Donation_Donor__c', `'Contact1'`],
      [accounting.salesforceDonationId, 'id'],
      ['Donation_Amount__c', NET],
      ['Donation_Date__c', 'given_on'],
      written('Donation_Name__c', '(left(event_name, 120))'),
      ['Donation_Stage__c', `'Closed Won'`],
      written('Donation_Campaign_Name__c', 'campaign'),
      written('Donation_Description__c', 'message'),
      [
        'Payment_Method__c',
        words('method_kind', {
          card: 'Credit Card',
          debit: 'ACH/EFT',
          transfer: 'ACH/EFT',
          cash: 'Cash',
          check: 'Check',
          other: 'Other',
        }),
      ],
      written('Payment_Check_Reference_Number__c', 'reference'),
      written('Name_As_Given', 'whole_name'),
      ['Currency_As_Given', IN_UPPER_CASE],
    ],
  },
];

/** CiviCRM: contributions go only to contacts that exist, so the contacts have a file of their own. */
const civicrm = (): readonly SystemFile[] => [
  {
    name: '1-contacts.csv',
    isOfContacts: true,
    columns: [
      ['External Identifier', 'contact_id'],
      written('First Name', 'first_name'),
      written('Last Name', 'last_name'),
      written('Email', 'email'),
      written('Street Address', STREET_IN_ONE_LINE),
      written('City', 'city'),
      written('Postal Code', 'postcode'),
      ['Country', 'country'],
      written('Name As Given', 'whole_name'),
    ],
  },
  {
    name: '2-contributions.csv',
    isOfContacts: false,
    columns: [
      ['External Identifier', 'contact_id'],
      ['Total Amount', NET],
      ['Receive Date', 'given_on'],
      written('Financial Type', 'financial_type'),
      [
        'Payment Method',
        words('method_kind', {
          card: 'Credit Card',
          debit: 'EFT',
          transfer: 'EFT',
          cash: 'Cash',
          check: 'Check',
        }),
      ],
      ['Transaction ID', 'id'],
      ['Contribution Status', `'Completed'`],
      written('Source', '(left(event_name, 255))'),
      ['Fee Amount', decimal('fee')],
      ['Net Amount', decimal('(net - fee)')],
      ['Currency', IN_UPPER_CASE],
    ],
  },
];

/** Raiser's Edge: an import of constituents, then an import of gifts that names them by their import id. */
const raisersedge = (): readonly SystemFile[] => [
  {
    name: '1-constituents.csv',
    isOfContacts: true,
    columns: [
      ['ImportID', 'contact_id'],
      ['KeyInd', `'I'`],
      written('FirstName', 'first_name'),
      written('LastName', 'last_name'),
      written('AddrLines', STREET_IN_ONE_LINE),
      written('AddrCity', 'city'),
      blank('AddrState'),
      written('AddrZIP', 'postcode'),
      ['AddrCountry', COUNTRY_IN_WORDS],
      ['PhoneType', `CASE WHEN email IS NOT NULL THEN 'E-mail' END`],
      written('PhoneNum', 'email'),
      written('Name_As_Given', 'whole_name'),
    ],
  },
  {
    name: '2-gifts.csv',
    isOfContacts: false,
    columns: [
      ['ImportID', 'contact_id'],
      ['GFImpID', SHORT_ID],
      ['GFDate', 'given_on'],
      ['GFTAmt', NET],
      ['GFType', `'Cash'`],
      written('FundID', 'fund'),
      written('CampID', 'campaign'),
      written('GFAppeal', 'appeal'),
      [
        'GFPayMeth',
        words('method_kind', {
          card: 'Credit Card',
          debit: 'Direct Debit',
          transfer: 'Other',
          cash: 'Cash',
          check: 'Personal Check',
          other: 'Other',
        }),
      ],
      ['GFCheckNum', `CASE WHEN method_kind = 'check' THEN ${text('reference')} END`, 'text'],
      written('GFRef', `(event_name || ', ' || id::text)`),
      ['GFAnon', `CASE WHEN is_anonymous THEN 'Yes' ELSE 'No' END`],
      ['Currency_As_Given', IN_UPPER_CASE],
    ],
  },
];

const FILES: Readonly<Record<System, (defaults: GiftDefaults) => readonly SystemFile[]>> = {
  npsp,
  civicrm,
  raisersedge,
};

/** The files of a system, in the order in which it imports them. */
export const filesOf = (system: System, defaults: GiftDefaults): readonly SystemFile[] =>
  FILES[system](defaults);

/** Returns the COPY statement of a file, oldest donation first. */
export function systemFileCopy(
  { columns, isOfContacts }: SystemFile,
  condition: DonationCondition,
  defaults: GiftDefaults,
): string {
  const gifts = giftsOf(condition, defaults);
  const cells = columns.map(([heading, expression]) => `${expression} AS ${pg.escapeIdentifier(heading)}`);
  const quoted = columns.filter(([, , kind]) => kind).map(([heading]) => pg.escapeIdentifier(heading));
  return `COPY (
    SELECT ${cells.join(', ')}
    FROM (${isOfContacts ? contactsOf(gifts) : gifts}) AS gift ORDER BY id
  ) TO STDOUT WITH (FORMAT csv, HEADER true, FORCE_QUOTE (${quoted.join(', ')}), ENCODING 'UTF8')`;
}
