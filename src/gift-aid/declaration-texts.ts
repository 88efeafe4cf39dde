import { createHash } from 'node:crypto';
import type { Settings } from '../settings/settings.js';

/** Donations of a declaration: only its own, or also those of the four years before and all later ones. */
export const GIFT_AID_SCOPES = ['this', 'past_and_future'] as const;
export type GiftAidScope = (typeof GIFT_AID_SCOPES)[number];

/** The text of a declaration as a donor reads it. It is always English, because it is a text of the law. */
export interface DeclarationText {
  readonly version: string;
  readonly scope: GiftAidScope;
  readonly text: string;
  /** SHA-256 of the text. */
  readonly digest: Buffer;
}

type Wording = (charity: string) => readonly string[];

const WHY =
  'Gift Aid is reclaimed by the charity from the tax you pay for the current tax year. Your address is needed to identify you as ' +
  'a current UK taxpayer.';
const notify = (charity: string) =>
  `Please notify ${charity} if you want to cancel this declaration, change your name or home address, or no longer pay ` +
  'sufficient tax on your income and/or capital gains.';
const HIGHER_RATE =
  'If you pay Income Tax at the higher or additional rate and want to receive the additional tax relief due to you, you must ' +
  'include all your Gift Aid donations on your Self-Assessment tax return or ask HM Revenue and Customs to adjust your tax code.';

/**
 * The model declarations of HM Revenue and Customs for one donation and for several donations, in the form of October 2015 for
 * use since April 2016 (gov.uk, “Gift Aid declarations: claiming tax back on donations”). A changed wording is a new version;
 * the stored texts keep their old wording.
 */
const WORDINGS: Readonly<Record<GiftAidScope, { readonly version: string; readonly wording: Wording }>> = {
  this: {
    version: 'hmrc-2016-single',
    wording: (charity) => [
      `I want to Gift Aid this donation to ${charity}.`,
      'I am a UK taxpayer and understand that if I pay less Income Tax and/or Capital Gains Tax in the current tax year than the ' +
        'amount of Gift Aid claimed on all my donations it is my responsibility to pay any difference.',
      WHY,
      notify(charity),
      HIGHER_RATE,
    ],
  },
  past_and_future: {
    version: 'hmrc-2016-multiple',
    wording: (charity) => [
      `I want to Gift Aid this donation and any donations I make in the future or have made in the past 4 years to ${charity}.`,
      'I am a UK taxpayer and understand that if I pay less Income Tax and/or Capital Gains Tax than the amount of Gift Aid ' +
        'claimed on all my donations in that tax year it is my responsibility to pay any difference.',
      WHY,
      notify(charity),
      HIGHER_RATE,
    ],
  },
};

/** The text that an event shows at present. It names the charity by its legal name. */
export function declarationText(
  { legal, organization }: Pick<Settings, 'legal' | 'organization'>,
  scope: GiftAidScope,
): DeclarationText {
  const { version, wording } = WORDINGS[scope];
  const text = wording(legal.legalName || organization).join('\n');
  return { version, scope, text, digest: createHash('sha256').update(text).digest() };
}
