import type { ComponentChildren } from 'preact';
import type { DonationStoryDto } from '../../../src/reporting/explain/dto/story.dto.js';
import { dateTime, money, t, word } from '../../desk/texts.js';
import { href } from '../router.js';
import { DashboardLink } from './disputes.js';
import { type Donation, methodName, nameOf, REFERENCE_LABEL } from './donations.js';
import { tributeLine } from './tribute-fields.js';
import { useEvents } from './events.js';
import { useTeams } from './teams.js';

/** The details of a donation and of the donor. */
export function DonationFacts({ donation }: { donation: Donation }) {
  const { data: events = [] } = useEvents();
  const event = events.find(({ id }) => id === donation.eventId);
  const { teamId } = donation;
  const team = useTeams(teamId && donation.eventId).find(({ id }) => id === teamId);
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    [t('donor.name'), nameOf(donation)],
    [t('field.email'), donation.donorEmail ?? '–'],
    [
      t('donation.inPublic'),
      [
        donation.isAnonymous ? t('donation.hiddenLong') : t('donation.named'),
        ...(donation.isAmountHidden ? [t('donation.amountHidden')] : []),
      ].join(' · '),
    ],
    [t('donation.message'), donation.message ?? '–'],
    ...(donation.pledgedAmount === undefined
      ? []
      : [[t('pledge.pledged'), money(donation.pledgedAmount, donation.currency)] as const]),
    ...(donation.tribute ? tributeRows(donation.tribute) : []),
    ...(donation.donorAddress
      ? [[t('donation.address'), <span class="facts__text">{donation.donorAddress}</span>] as const]
      : []),
    [t('event.one'), event ? <a href={href(`events/${event.slug}`)}>{event.name}</a> : donation.eventId],
    [t('donation.kind'), word('type', donation.type)],
    ...(donation.method === undefined
      ? []
      : [[t('donation.method'), methodName(donation.method, donation.wallet)] as const]),
    ...(donation.staffName === null ? [] : [[t('donation.takenBy'), donation.staffName] as const]),
    ...(donation.paddle ? [[t('donation.paddle'), donation.paddle] as const] : []),
    ...(team
      ? [
          [
            t('team.one'),
            <a href={href('donations', { event: event?.slug, team: team.id })}>{team.name}</a>,
          ] as const,
        ]
      : []),
    ...(donation.reference
      ? [[t(REFERENCE_LABEL[donation.type] ?? 'donation.transferReference'), donation.reference] as const]
      : []),
    ...(donation.note ? [[t('donation.note'), donation.note] as const] : []),
    ...(donation.donorPronunciation
      ? [[t('donation.pronunciation'), donation.donorPronunciation] as const]
      : []),
    ...(donation.benefitText ? [[t('donation.benefit'), donation.benefitText] as const] : []),
    ...(donation.benefitValue === undefined
      ? []
      : [[t('donation.benefitValue'), money(donation.benefitValue, donation.currency)] as const]),
    ...(donation.source ? [[t('donation.source'), donation.source] as const] : []),
    [t('donation.when'), dateTime(donation.recordedAt)],
    ...(donation.receiptNumber === null ? [] : [[t('receipt.number'), donation.receiptNumber] as const]),
    ...(donation.matchPoolId
      ? [
          [
            t('nav.matchPools'),
            <a href={href(`match-pools/${donation.matchPoolId}`)}>{t('cause.match_settlement')}</a>,
          ] as const,
        ]
      : []),
    ...(donation.paidBy
      ? [
          [
            t('pledge.paidBy'),
            <a href={href(`donations/${donation.paidBy}`)}>{t('donation.one')}</a>,
          ] as const,
        ]
      : []),
  ];
  return (
    <section aria-label={t('donation.details')}>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

/** The tribute, the words for the notified person, and the person's address. */
const tributeRows = (tribute: NonNullable<Donation['tribute']>): (readonly [string, string])[] => [
  [t('tribute.title'), tributeLine(tribute)],
  ...(tribute.notifyEmail ? [[t('tribute.notify'), tribute.notifyEmail] as const] : []),
  ...(tribute.message ? [[t('tribute.message'), tribute.message] as const] : []),
];

/** Ids of an online payment, to find the payment at its provider. */
export const PaymentFacts = ({ payment }: { payment: DonationStoryDto['payment'] }) =>
  payment?.paymentId ? (
    <section aria-labelledby="payment">
      <h3 class="section__title" id="payment">
        {t('story.payment')}
      </h3>
      <dl class="facts">
        <dt>{t('story.provider')}</dt>
        <dd>{word('provider', payment.provider)}</dd>
        <dt>{t('story.paymentId')}</dt>
        <dd class="mono">{payment.paymentId}</dd>
      </dl>
      <DashboardLink url={payment.dashboardUrl} />
    </section>
  ) : null;
