import { text } from '../../settings/setting-values.js';
import type { PackFacts, SettingWords } from './receipt-pack.js';

/*
 * Facts that the packs of several countries need.
 */

/** The setting `place`. */
export const placeOfIssue = (example: string) =>
  text(60).meta({ example, description: 'Place where receipts are issued' }).default('');

export const PLACE_WORDS: SettingWords = {
  label: {
    en: 'Place of issue',
    de: 'Ort der Ausstellung',
    fr: 'Lieu d’émission',
    it: 'Luogo di emissione',
    es: 'Lugar de emisión',
    nl: 'Plaats van afgifte',
  },
};

type AnyFacts = PackFacts<unknown>;

/** Name and postal address of the issuer. */
export const ISSUER = [
  ['legal.legalName', ({ organization }: AnyFacts) => organization.name],
  ['legal.address', ({ organization }: AnyFacts) => organization.address],
] as const;

/** Name and postal address of the donor. */
export const DONOR = [
  ['donorName', ({ donorName }: AnyFacts) => donorName],
  ['donorAddress', ({ donorAddress }: AnyFacts) => donorAddress],
] as const;
