import type { ComponentChildren } from 'preact';
import type { DonationStoryDto } from '../../../src/reporting/explain/dto/story.dto.js';
import { Pill, type Tone } from '../../desk/states.js';
import { dateTime, money, t, word } from '../../desk/texts.js';
import { href } from '../router.js';
import { disputeReason } from './disputes.js';
import { titleOf } from './review-words.js';
import { whoOf } from './who.js';

interface Line {
  readonly amount?: string;
  readonly what: ComponentChildren;
  readonly state?: string;
  readonly at: string;
  readonly problem?: string | null;
}

const TONES: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  pending: 'warn',
  requested: 'warn',
  sent: 'good',
  queued: 'warn',
  bounced: 'bad',
  lost: 'bad',
  won: 'good',
  open: 'warn',
  paid: 'good',
};

/** Related records of a donation. Empty lists are hidden. */
export const StoryLines = ({ story }: { story: DonationStoryDto }) => (
  <>
    <Lines
      title={t('story.refunds')}
      lines={story.refunds.map(({ amount, currency, reason, status, createdAt }) => ({
        amount: money(amount, currency),
        what: reason,
        state: status,
        at: createdAt,
      }))}
    />
    <Lines
      title={t('story.disputes')}
      lines={story.disputes.map(({ amount, currency, reason, status, createdAt }) => ({
        amount: money(amount, currency),
        what: reason && disputeReason(reason),
        state: status,
        at: createdAt,
      }))}
    />
    <Lines
      title={t('story.receipts')}
      lines={story.receipts.map(({ number, issuedAt, replacedAt }) => ({
        what: number,
        ...(replacedAt !== null && { state: 'replaced' }),
        at: issuedAt,
      }))}
    />
    <Lines
      title={t('story.emails')}
      lines={story.emails.map(({ kind, state, sentAt, createdAt, lastError }) => ({
        what: <a href={href('emails', { state })}>{word('emailKind', kind)}</a>,
        state,
        at: sentAt ?? createdAt,
        problem: lastError,
      }))}
    />
    <Lines
      title={t('story.reviews')}
      lines={story.reviewItems.map((item) => ({
        what:
          item.resolvedAt === null ? <a href={href(`review/${item.id}`)}>{titleOf(item)}</a> : titleOf(item),
        state: item.resolvedAt === null ? 'open' : 'resolved',
        at: item.createdAt,
      }))}
    />
    <Lines
      title={t('story.payouts')}
      lines={story.payouts.map(({ payoutId, amount, currency, status, arrivesAt }) => ({
        amount: money(amount, currency),
        what: <span class="mono">{payoutId}</span>,
        state: status,
        at: arrivesAt,
      }))}
    />
    <Lines
      title={t('story.webhooks')}
      lines={story.webhookEvents.map(({ kind, receivedAt }) => ({
        what: <span class="mono">{kind}</span>,
        at: receivedAt,
      }))}
    />
    <Lines
      title={t('story.audit')}
      lines={story.audit.map((entry) => ({
        what: `${word('deed', entry.action)} · ${whoOf(entry, story.names)}`,
        at: entry.createdAt,
      }))}
    />
  </>
);

const Lines = ({ title, lines }: { title: string; lines: readonly Line[] }) =>
  lines.length === 0 ? null : (
    <section aria-label={title}>
      <h3 class="section__title">{title}</h3>
      <ul class="lines">
        {lines.map(({ amount, what, state, at, problem }, index) => (
          <li key={index} class="lines__row">
            <span>
              {amount !== undefined && <strong class="number">{amount} </strong>}
              {what}
              {problem && <span class="field__error"> {problem}</span>}
            </span>
            <span class="lines__meta">
              {state !== undefined && (
                <Pill tone={TONES[state] ?? 'quiet'}>{word('refund.status', state)}</Pill>
              )}{' '}
              {dateTime(at)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
