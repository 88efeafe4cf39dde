import * as z from 'zod';
import { fieldName, text } from './setting-values.js';

/** Codes that the files for other systems contain. */
export const ACCOUNTING = z
  .object({
    campaign: text(100)
      .meta({
        example: 'Gala 2026',
        description: "Campaign: its name in Salesforce, its id in Raiser's Edge",
      })
      .default(''),
    appeal: text(100)
      .meta({ example: 'GALA26', description: "Id of the appeal in Raiser's Edge" })
      .default(''),
    fund: text(100).meta({ example: 'UNREST', description: "Id of the fund in Raiser's Edge" }).default(''),
    financialType: text(100)
      .meta({ example: 'Donation', description: 'Financial type of the contributions in CiviCRM' })
      .default('Donation'),
    salesforceContactId: fieldName()
      .meta({
        example: 'Contact1_External_Id__c',
        description: 'Column of the stable id of the donor in the file for Salesforce',
      })
      .default('Contact1_External_Id__c'),
    salesforceDonationId: fieldName()
      .meta({
        example: 'Donation_External_Id__c',
        description: 'Column of the id of the donation in the file for Salesforce',
      })
      .default('Donation_External_Id__c'),
  })
  .meta({ id: 'AccountingSettingsDto', description: 'Codes in the files for other systems' });
