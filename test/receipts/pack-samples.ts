import type { AnnualFacts, PackFacts } from '../../src/receipts/packs/receipt-pack.js';
import { PACK_IDS, type PackId, packOf } from '../../src/receipts/packs/registry.js';

/** A complete receipt of each pack, with values that its tax office accepts. */
type Sample = PackFacts;

const GIFT = {
  receivedOn: '2026-11-21',
  issuedOn: '2026-11-28',
  refunded: 0,
  type: 'card',
} as const;

export const SAMPLES: Readonly<Record<PackId, Sample>> = {
  de: {
    ...GIFT,
    currency: 'eur',
    amount: 132_250,
    donorName: 'Ada Lovelace',
    donorAddress: 'Lindenstraße 7\n10969 Berlin',
    organization: {
      name: 'Hafenkinder e. V.',
      address: 'Am Sandtorkai 12\n20457 Hamburg',
      signatory: 'Dr. Johanna Petersen, Schatzmeisterin',
    },
    legal: {
      noticeKind: 'exemption',
      taxOffice: 'Hamburg-Nord',
      taxNumber: '17/412/34567',
      noticeDate: '2025-03-14',
      assessmentPeriod: '2022 bis 2024',
      purposes: ['der Jugendhilfe', 'der Erziehung'],
      place: 'Hamburg',
      machineSignature: false,
      machineNoticeDate: null,
    },
  },
  us: {
    ...GIFT,
    currency: 'usd',
    amount: 132_250,
    benefitValue: 9_000,
    benefitText: 'Dinner for two persons',
    donorName: 'Ada Lovelace',
    donorAddress: '7 Linden Street\nSpringfield, IL 62701',
    organization: {
      name: 'Harbor Children, Inc.',
      address: '12 Harbor Street\nSpringfield, IL 62701',
      signatory: '',
    },
    legal: { ein: '53-0196605', intangibleReligiousBenefits: false, stateDisclosures: [] },
  },
  ca: {
    ...GIFT,
    currency: 'cad',
    amount: 132_250,
    benefitValue: 9_000,
    benefitText: 'Dinner for two persons',
    donorName: 'Ada K. Lovelace',
    donorAddress: '7 Linden Street\nOttawa ON K1P 1J1',
    organization: {
      name: 'Harbour Children Foundation',
      address: '12 Harbour Street\nOttawa ON K1P 5Z9',
      signatory: 'Joan Peterson, Treasurer',
    },
    legal: { registrationNumber: '123456789RR0001', place: 'Ottawa, Ontario' },
  },
  fr: {
    ...GIFT,
    currency: 'eur',
    amount: 132_250,
    donorName: 'Lovelace Ada',
    donorAddress: '7 rue des Tilleuls\n75011 Paris',
    organization: {
      name: 'Les enfants du port',
      address: '12 quai du Port\n13002 Marseille',
      signatory: 'Jeanne Petersen, trésorière',
    },
    legal: {
      siren: '732829320',
      rna: '',
      object: 'Aide aux enfants hospitalisés',
      category: 'publicBenefit',
      decreeDate: '1998-05-12',
      isWealthTax: false,
      yearEnd: '12-31',
    },
  },
  ch: {
    ...GIFT,
    currency: 'chf',
    amount: 132_250,
    donorName: 'Ada Lovelace',
    donorAddress: 'Lindenweg 7\n8001 Zürich',
    organization: {
      name: 'Stiftung Hafenkinder',
      address: 'Seestrasse 12\n8002 Zürich',
      signatory: 'Johanna Petersen, Kassierin',
    },
    legal: {
      uid: 'CHE-116.281.710',
      exemptionCanton: 'ZH',
      exemptionDate: '2015-06-30',
      place: 'Zürich',
      language: 'de',
    },
  },
  nl: {
    ...GIFT,
    currency: 'eur',
    amount: 132_250,
    donorName: 'Ada Lovelace',
    donorAddress: 'Lindenlaan 7\n1011 AB Amsterdam',
    organization: {
      name: 'Stichting Havenkinderen',
      address: 'Havenkade 12\n1011 ZZ Amsterdam',
      signatory: 'Johanna Petersen, penningmeester',
    },
    legal: { rsin: '123456782', place: 'Amsterdam' },
  },
};

/** Numbers that each pack refuses, by the name of the setting: twelve each. */
export const WRONG_NUMBERS: Readonly<
  Record<PackId, readonly (readonly [setting: string, wrong: readonly string[]])[]>
> = {
  de: [
    [
      'taxNumber',
      [
        ...['17/412/3456', '17/412/345678901', '174123456', '17412345678901', 'DE17412345', '17-412-34567'],
        ...['17.412.34567', '17/412/3456A', 'St. 17/412/34567', '/', '0', '17/412//34567'],
      ],
    ],
  ],
  us: [
    [
      'ein',
      [
        ...['530196605', '53-019660', '53-01966050', '53 0196605', '5-30196605', '530-196605'],
        ...['00-0196605', '53-0000000', 'AB-0196605', '53-019660A', '53–0196605', 'E53-019660'],
      ],
    ],
  ],
  ca: [
    [
      'registrationNumber',
      [
        ...['123456789', '123456789RR001', '12345678RR0001', '123456789RP0001', '123456789RT0001'],
        ...['123456789rr0001', '123456789R0001', 'A23456789RR0001', '123456789RR000A', '123456789RRR001'],
        ...['RR1234567890001', '1234567890RR001'],
      ],
    ],
  ],
  fr: [
    [
      'siren',
      [
        ...['732829321', '732829310', '732829220', '732828320', '732819320', '732929320', '733829320'],
        ...['742829320', '832829320', '73282932', '73282932A', '000000000'],
      ],
    ],
    [
      'rna',
      [
        ...['751212517', 'W75121251', 'w751212517', 'V751212517', 'W75121251A', 'W-75121251', 'WA51212517'],
        ...['W7512A2517', '7W51212517', 'W 75121251', 'RNA7512125', 'W7512 1251'],
      ],
    ],
  ],
  ch: [
    [
      'uid',
      [
        ...['CHE-116.281.711', 'CHE-116.281.720', 'CHE-116.281.810', 'CHE-116.282.710', 'CHE-116.291.710'],
        ...['CHE-116.381.710', 'CHE-117.281.710', 'CHE-126.281.710', 'CHE-216.281.710', 'CHE116281710'],
        ...['che-116.281.710', '116.281.710'],
      ],
    ],
    ['exemptionCanton', ['zh', 'Z', 'H', 'XX', 'ZZ', 'DE', 'CH', 'FL', 'AT', '80', 'BB', 'SS']],
  ],
  nl: [
    [
      'rsin',
      [
        ...['123456783', '123456772', '123456682', '123455782', '123446782', '123356782', '122456782'],
        ...['133456782', '223456782', '12345678', '12345678A', '000000000'],
      ],
    ],
  ],
};

/** Three gifts of a year: one is partly refunded, one is cash, and one gave the donor something. */
export const annualOf = (sample: PackFacts, locale: string): AnnualFacts => ({
  from: '2026-01-01',
  to: '2026-12-31',
  locale,
  gifts: [
    { ...sample, receivedOn: '2026-02-03', amount: 20_000, refunded: 5_000 },
    { ...sample, receivedOn: '2026-06-14', amount: 4_000, type: 'cash' },
    { ...sample, benefitValue: 2_250, benefitText: 'Dinner' },
  ],
});

/** Returns a copy of the facts with a value at the path of a finding, such as `donorAddress` or `legal.de.taxNumber`. */
export function withField(pack: PackId, facts: PackFacts, field: string, value: unknown): PackFacts {
  const organization: Record<string, keyof PackFacts['organization']> = {
    'legal.legalName': 'name',
    'legal.address': 'address',
    'legal.signatory': 'signatory',
  };
  const part = organization[field];
  if (part) return { ...facts, organization: { ...facts.organization, [part]: value } };
  const prefix = `legal.${pack}.`;
  if (!field.startsWith(prefix)) return { ...facts, [field]: value };
  return { ...facts, legal: { ...facts.legal, [field.slice(prefix.length)]: value } };
}

export const packs = PACK_IDS.map((id) => {
  const pack = packOf(id);
  if (!pack) throw new Error(`No pack ${id}`);
  return [id, pack, SAMPLES[id]] as const;
});
