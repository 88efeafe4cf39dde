import type { SystemFile } from './system-files.sql.js';
import type { System } from './system-names.js';

/** The README of a ZIP: how to import the files, and the columns that need attention. In English, as the columns are. */
export function readmeOf(system: System, files: readonly SystemFile[]): string {
  const columns = files.map(
    ({ name, columns: all }) => `${name}\n${all.map(([heading]) => `  ${heading}`).join('\n')}`,
  );
  return `${[HOW[system], COMMON, `COLUMNS\n\n${columns.join('\n\n')}`].join('\n\n')}\n`.replaceAll(
    '\n',
    '\r\n',
  );
}

const COMMON = `ROWS
One row for each donation that counts: it is paid and not fully refunded. A partial refund is subtracted from the amount. A
donation that is fully refunded later is missing in the next file: correct it by hand.

NAMES
The donor enters one name. The first name and the last name are exact if the donor made a Gift Aid declaration, or if the
imported guest list has both. Otherwise they are a guess: the last word is the last name. The guess is wrong for names such as
"van der Berg", for names in Chinese, Japanese or Korean, and for companies. The column "Name As Given" has the whole name;
other systems do not need it.
Donors without a name and without an e-mail address are all one contact with the last name "Anonymous". Donors whose data were
erased are in it too. A donor with only an e-mail address has the last name "Unknown".

IDS
The id of a donor begins with "fds-". It is the same in each file, contains no personal data, and depends on the e-mail address.
A donor without an e-mail address gets a new id with each donation. The id of a donation never changes, so use it to find
donations that you imported before.

TEXTS
An apostrophe stands before a text that begins with =, +, -, @ or a tab. Otherwise a spreadsheet could run it as a formula.
Amounts have a decimal point and as many decimals as their currency. Dates are YYYY-MM-DD in the time zone of the settings.
The files are UTF-8 without a byte order mark, with commas. Do not save them with Excel before the import.`;

const HOW: Readonly<Record<System, string>> = {
  npsp: `DONATIONS FOR THE SALESFORCE NONPROFIT SUCCESS PACK (NPSP)

HOW TO IMPORT
1. Create two text fields at the object "NPSP Data Import": one for the id of the donor and one for the id of the donation. Their
   API names are the first column and the column after Donation_Donor__c; the settings accounting.salesforceContactId and
   accounting.salesforceDonationId name them. In NPSP Settings, map both fields, use the donor's id as "Contact Custom Unique
   ID", and add the donation's id to the Donation Matching Rule. So a second import updates and does not duplicate.
2. Load npsp-data-import.csv with Data Loader, the Data Import Wizard or dataloader.io into "NPSP Data Import". A managed package
   has the prefix npsp__ before each field: the automatic mapping of these tools finds the fields also by their labels.
3. Open NPSP Data Imports, and choose "Start Data Import". Try it with ten rows first.

NOTES
- Donation_Campaign_Name__c is the setting accounting.campaign of the event. The campaign must exist.
- The stage is Closed Won, and each donation is the one of Contact1. Change companies by hand.
- The file has no state or province, because donors do not enter one.
- NPSP imports one currency. Filter by Currency_As_Given if your event has several.
- Payment methods are Cash, Check, Credit Card, ACH/EFT and Other. Add missing ones to the picklist of payments.
- Name_As_Given and Currency_As_Given are for your check. Do not map them.`,
  civicrm: `DONATIONS FOR CIVICRM

HOW TO IMPORT
1. Contacts, Import Contacts: 1-contacts.csv, contact type Individual, "Update" for duplicates, date format yyyy-mm-dd. Match
   each column with the field of the same name; do not import "Name As Given".
2. Contributions, Import Contributions: 2-contributions.csv, contact type Individual, date format yyyy-mm-dd. Match External
   Identifier with the contact. For a second import of the same donations choose "Update existing contributions" and match the
   Transaction ID.
Try both with ten rows first.

NOTES
- Import the contacts first: a contribution goes only to a contact that exists.
- Financial Type is the setting accounting.financialType. It must exist in CiviCRM.
- Payment methods are Cash, Check, Credit Card and EFT. The cell is empty for others.
- Fee Amount and Net Amount are empty if the provider has not reported the fee, or reported it in another currency.
- CiviCRM stores two decimals. Check amounts in currencies with three, such as Kuwaiti dinars.
- Source is the name of the event. Country is the ISO code.`,
  raisersedge: `DONATIONS FOR RAISER'S EDGE

HOW TO IMPORT
1. Admin, Import, Constituent: 1-constituents.csv, "Import new records", with headers, separated by commas. Use ImportID as the
   identifier. Let the search for duplicates run, because your constituents have other import ids.
2. Admin, Import, Gift: 2-gifts.csv. ImportID names the constituent, GFImpID the gift.
Validate both before you import, and back up the database.

NOTES
- FundID, CampID and GFAppeal are the settings accounting.fund, accounting.campaign and accounting.appeal of the event. They must
  exist. Raiser's Edge refuses a gift without a fund.
- Dates are YYYY-MM-DD, so day and month are never exchanged. If your import expects another format, convert GFDate.
- GFType is Cash, the type of a gift that is paid at once. GFPayMeth is Cash, Personal Check, Credit Card, Direct Debit or Other.
- GFRef has the event and the id of the donation. GFAnon is Yes if the donor did not want to be named in public.
- The e-mail address is a phone number of the type "E-mail". Use the name of this type in your tables.
- The file has no state, because donors do not enter one.
- Name_As_Given and Currency_As_Given are for your check. Do not map them.`,
};
