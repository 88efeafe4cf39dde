import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ReviewKind } from '../../src/data/generated/enums.js';
import { getMetadataStorage } from 'class-validator';
import { AUDIT_DETAILS } from '../../src/audit/audit-actions.js';
import { AuditFilter } from '../../src/audit/dto/audit.dto.js';
import { DonationFilterDto } from '../../src/donations/dto/list-donations.dto.js';
import { CAUSE_KINDS, type CauseKind } from '../../src/donations/lifecycle/history-cause.js';
import { columnsWhere, DONATION_COLUMNS } from '../../src/donations/store/donation-columns.js';
import { adviceOn } from '../../src/reporting/review/advice.js';
import { plainWordsOn } from '../../src/reporting/review/plain-words.js';

const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'nl'];
const pages = readdirSync('web', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(`web/${entry.name}`).includes('texts'))
  .map(({ name }) => name);
const table = (page: string, language: string) =>
  JSON.parse(readFileSync(`web/${page}/texts/${language}.json`, 'utf8')) as Record<string, string>;
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe.each(pages)('texts of the page %s', (page) => {
  it.each(LANGUAGES)('the texts are complete in %s, with the same placeholders', (language) => {
    const english = table(page, 'en');
    const texts = table(page, language);
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(texts)) {
      expect(text.trim()).not.toBe('');
      expect({ key, placeholders: placeholders(text) }).toEqual({
        key,
        placeholders: placeholders(english[key] ?? ''),
      });
    }
  });
});

describe('dashboard texts', () => {
  const english = table('admin', 'en');
  it('the dashboard texts name every action of the audit log and every key of its detail', () => {
    // The types refuse an action or a key that is not listed.
    const actions = Object.keys(AUDIT_DETAILS);
    expect(actions.filter((action) => english[`deed.${action}`] === undefined)).toEqual([]);
    const keys = new Set<string>(Object.values(AUDIT_DETAILS).flat());
    // The dashboard shows the currency with each amount.
    keys.delete('currency');
    expect([...keys].filter((key) => english[`auditDetail.${key}`] === undefined)).toEqual([]);
  });

  it('the dashboard texts name every filter of a download in the audit log', () => {
    const filters = [DonationFilterDto, AuditFilter].flatMap((filter) =>
      getMetadataStorage()
        .getTargetValidationMetadatas(filter, '', false, false)
        .map(({ propertyName }) => propertyName),
    );
    expect(new Set(filters).size).toBeGreaterThan(15);
    expect([...new Set(filters)].filter((one) => english[`filterName.${one}`] === undefined)).toEqual([]);
  });

  it('the dashboard texts name the resource of every action, for the filter of the audit log', () => {
    const resources = Object.keys(english).flatMap((key) => /^deed\.([a-z_]+)\./.exec(key)?.[1] ?? []);
    expect([...new Set(resources)].filter((one) => english[`resource.${one}`] === undefined)).toEqual([]);
    const screen = readFileSync('web/admin/screens/audit.tsx', 'utf8');
    for (const one of new Set(resources)) expect(screen).toContain(`'${one}'`);
  });

  it('the dashboard texts name every cause in the history of a donation', () => {
    const statuses: Partial<Record<CauseKind, readonly string[]>> = {
      refund_status: ['requested', 'pending', 'succeeded', 'failed', 'cancelled'],
      dispute_status: ['open', 'won', 'lost'],
    };
    const keys = CAUSE_KINDS.flatMap(
      (kind) => statuses[kind]?.map((status) => `${kind}.${status}`) ?? [kind],
    );
    expect(keys.filter((key) => english[`cause.${key}`] === undefined)).toEqual([]);
  });

  it('the dashboard texts name every field of a correction', () => {
    const fields = columnsWhere(({ changes }) => changes === 'by donor').flatMap(
      (column) => DONATION_COLUMNS[column].field ?? [],
    );
    expect(fields).toContain('donorAddress');
    expect(fields.filter((field) => english[`fieldname.${field}`] === undefined)).toEqual([]);
  });

  it('the dashboard texts name every kind of review item', () => {
    const kinds = Object.values(ReviewKind);
    expect(kinds.filter((kind) => english[`reviewKind.${kind}`] === undefined)).toEqual([]);
    const item = { id: 'id', subject: 'stripe:pi_1', donationId: null };
    // The English texts must equal the texts of the service, so that people and programs get the same words.
    for (const kind of kinds)
      expect({ kind, meaning: english[`reviewMeaning.${kind}`] }).toEqual({
        kind,
        meaning: plainWordsOn({ ...item, kind, particulars: null }).meaning,
      });
  });

  it('the dashboard texts give advice for every kind of review item and each of its states', () => {
    const advice = (kind: ReviewKind, detail = {}, particulars = {}) =>
      adviceOn({ kind, detail, particulars, dueBy: null });
    const differing = ['dispute', 'email_failed', 'payment_held', 'missing_right'];
    const plain = Object.values(ReviewKind).filter((kind) => !differing.includes(kind));
    const said = [
      ...plain.map((kind) => [kind, advice(kind)] as const),
      ['dispute.reversed', advice('dispute', {}, { status: 'reversed' })],
      ['dispute.lost', advice('dispute', { state: 'lost' })],
      ['dispute.unknown', advice('dispute', {}, { unknown: true })],
      [
        'dispute.appeal',
        advice('dispute', { state: 'lost' }, { appeal: true }).replace('before its deadline', 'in time'),
      ],
      // The dashboard shows the deadline separately. The service includes the deadline in the sentence.
      ['dispute.inquiry', advice('dispute', {}, { inquiry: true }).replace('before its deadline', 'in time')],
      ['dispute.open', advice('dispute').replace('before its deadline', 'in time')],
      ['email_failed.bounced', advice('email_failed', { state: 'bounced' })],
      ['email_failed.tried', advice('email_failed', { state: 'failed' })],
      ...['accept', 'verify', 'open_account', 'answer', 'look'].map(
        (status) => [`payment_held.${status}`, advice('payment_held', {}, { status })] as const,
      ),
      ['missing_right', advice('missing_right', { right: '{right}' })],
    ];
    for (const [key = '', words] of said)
      expect({ key, advice: english[`reviewAdvice.${key}`] }).toEqual({ key, advice: words });
  });

  it('the service and the dashboard describe an unknown kind of a newer release', () => {
    const kind = 'raised_by_a_newer_release' as ReviewKind;
    const item = { id: 'id', kind, subject: 'stripe:pi_1', donationId: null, particulars: null };
    expect({ ...plainWordsOn(item), advice: adviceOn({ ...item, detail: {}, dueBy: null }) }).toEqual({
      title: english['reviewKind.newer'],
      meaning: english['reviewMeaning.newer'],
      advice: english['reviewAdvice.newer'],
      actions: [expect.objectContaining({ action: 'resolve' })],
    });
  });
});
