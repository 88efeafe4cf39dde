import { useState } from 'preact/hooks';
import type {
  ClaimAdjustmentDto,
  ClaimCandidateDto,
  ClaimCandidatesDto,
  ClaimDto,
  ClaimPreviewDto,
  ClaimsDto,
  LeftOutReason,
} from '../../../src/gift-aid/dto/claim.dto.js';
import { SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { Icon } from '../../desk/icons.js';
import { LongList } from '../../desk/long-list.js';
import { Failed, NotHere, Skeleton } from '../../desk/states.js';
import { calendarDay, date, money, t, tn } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api, queryOf } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { download } from '../parts/downloads.js';
import { SmallDonations, taxYearOf } from '../parts/small-donations.js';
import { href } from '../router.js';

/** Claims are in pounds. */
const pounds = (amount: number): string => money(amount, 'gbp');
const dayOf = (at: Date): string => at.toLocaleDateString('sv-SE');

/** Gift Aid for the treasurer: the list of donations, the claims with their schedules, and the adjustments. */
export function GiftAidScreen() {
  const { data, error, reload } = useQuery<ClaimsDto>('/gift-aid/claims');
  const [making, setMaking] = useState(false);
  const missing = isMissingRoute(error);
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('giftAid.title')}</h1>
        <button
          type="button"
          class="button button--quiet"
          onClick={() => void download('/gift-aid/export', 'gift-aid.csv')}
        >
          <Icon name="download" size={16} /> {t('donor.giftAidList')}
        </button>
      </header>
      <div class="columns__side">
        <section class="panel stack" aria-labelledby="claims">
          <header class="panel__head">
            <h2 class="panel__title" id="claims">
              {t('giftAid.claims')}
            </h2>
            {data && can('gift-aid:claim') && (
              <button type="button" class="button" onClick={() => setMaking(true)}>
                {t('giftAid.claim.make')}
              </button>
            )}
          </header>
          <p class="field__hint">{t('giftAid.claimsText')}</p>
          {error && (missing ? <NotHere /> : <Failed error={error} retry={reload} />)}
          {!data && !error && <Skeleton />}
          {data?.data.length === 0 && <p>{t('giftAid.claim.none')}</p>}
          {data && data.data.length > 0 && (
            <LongList rows={data.data} label={t('giftAid.claims')}>
              {(claim) => <Claim key={claim.id} claim={claim} />}
            </LongList>
          )}
        </section>
        {data && data.pending.length > 0 && (
          <section class="panel stack" aria-labelledby="adjustments">
            <h2 class="panel__title" id="adjustments">
              {t('giftAid.adjustments')}
            </h2>
            <p class="field__hint">{t('giftAid.adjustmentsText')}</p>
            <Adjustments rows={data.pending} label={t('giftAid.adjustments')} />
          </section>
        )}
        <SmallDonations />
      </div>
      {making && data && <ClaimDialog claims={data.data} onClose={() => setMaking(false)} />}
    </>
  );
}

function Claim({ claim }: { claim: ClaimDto }) {
  const name = t('giftAid.claim.name', { number: claim.number });
  return (
    <li class="lines__row">
      <span>
        <strong>{name}</strong>{' '}
        <span class="lines__meta">
          {calendarDay(claim.from)} – {calendarDay(claim.to)}
        </span>
        <br />
        {sumText(claim)}{' '}
        <span class="lines__meta">{t('giftAid.claim.madeOn', { date: date(claim.createdAt) })}</span>
        {claim.adjustments.length > 0 && (
          <details>
            <summary>{t('giftAid.claim.overclaimed', { amount: pounds(claim.overclaimedTax) })}</summary>
            <Adjustments rows={claim.adjustments} label={`${t('giftAid.adjustments')}: ${name}`} />
          </details>
        )}
      </span>
      <button
        type="button"
        class="button button--quiet button--small"
        aria-label={t('giftAid.claim.download', { number: claim.number })}
        onClick={() =>
          void download(`/gift-aid/claims/${claim.id}/schedule.ods`, `gift-aid-claim-${claim.number}.ods`)
        }
      >
        <Icon name="download" size={16} /> {t('action.download')}
      </button>
    </li>
  );
}

const Adjustments = ({ rows, label }: { rows: readonly ClaimAdjustmentDto[]; label: string }) => (
  <LongList rows={rows} label={label}>
    {({ donationId, claimNumber, amount }) => (
      <li key={donationId} class="lines__row">
        <a href={href(`donations/${donationId}`)}>{t('giftAid.adjustment', { amount: pounds(amount) })}</a>
        <span class="lines__meta">{t('giftAid.claim.name', { number: claimNumber })}</span>
      </li>
    )}
  </LongList>
);

const sumText = ({ donations, amount, tax }: Pick<ClaimDto, 'donations' | 'amount' | 'tax'>): string =>
  tn('giftAid.claim.sum', donations, { amount: pounds(amount), tax: pounds(tax) });

/** The day after the last claim, or the first day of the tax year. */
function firstDay(claims: readonly ClaimDto[]): string {
  const last = claims
    .map(({ to }) => to)
    .sort()
    .at(-1);
  const today = new Date();
  const next = last === undefined ? undefined : new Date(`${last}T12:00`);
  next?.setDate(next.getDate() + 1);
  if (next && next <= today) return dayOf(next);
  return `${taxYearOf(today)}-04-06`;
}

/** Makes a claim. Shows the number of donations and their sum before. */
function ClaimDialog({ claims, onClose }: { claims: readonly ClaimDto[]; onClose: () => void }) {
  const [from, setFrom] = useState(() => firstDay(claims));
  const [to, setTo] = useState(() => dayOf(new Date()));
  const isPeriod = from !== '' && to !== '' && from <= to;
  const { data, error, reload, loading } = useQuery<ClaimPreviewDto>(
    isPeriod ? `/gift-aid/claims/preview${queryOf({ from, to })}` : null,
  );
  const [leftOut, setLeftOut] = useState<LeftOut>(new Map());
  const left = [...leftOut.values()].reduce((sum, { amount }) => sum + amount, 0);
  return (
    <FormDialog
      title={t('giftAid.claim.make')}
      submit={t('giftAid.claim.make')}
      disabled={!isPeriod || loading || !data || data.donations + data.waiting <= leftOut.size}
      onClose={onClose}
      onSave={async () => {
        const body = {
          from,
          to,
          leftOut: [...leftOut].map(([donationId, { reason }]) => ({ donationId, reason })),
        };
        const { number } = await api<ClaimDto>('/gift-aid/claims', { method: 'POST', body });
        changed('/gift-aid/claims', '/audit');
        say(t('giftAid.claim.made', { number }));
        onClose();
      }}
    >
      <div class="pair">
        <TextField
          label={t('donor.statementFirst')}
          type="date"
          value={from}
          onValue={(day) => {
            setFrom(day);
            setLeftOut(new Map());
          }}
          required
        />
        <TextField
          label={t('donor.statementLast')}
          type="date"
          value={to}
          onValue={(day) => {
            setTo(day);
            setLeftOut(new Map());
          }}
          required
        />
      </div>
      {error && <Failed error={error} retry={reload} />}
      {isPeriod && !data && !error && <Skeleton rows={1} />}
      {isPeriod && data && (
        <div class="stack" role="status">
          <p>
            <strong>
              {data.donations === 0
                ? t('giftAid.claim.nothing')
                : sumText(data.waiting === 0 ? lessBy(data, leftOut.size, left) : data)}
            </strong>
          </p>
          {leftOut.size > 0 && <p>{tn('giftAid.leftOutSum', leftOut.size, { amount: pounds(left) })}</p>}
          {leftOut.size > 0 && data.waiting > 0 && <p>{t('giftAid.leftOutReplaced')}</p>}
          {data.waiting > 0 && <p>{tn('giftAid.claim.waiting', data.waiting)}</p>}
          {data.aboveBenefitLimits > 0 && <p>{tn('giftAid.claim.benefit', data.aboveBenefitLimits)}</p>}
          {data.otherCurrency > 0 && <p>{tn('giftAid.claim.currency', data.otherCurrency)}</p>}
        </div>
      )}
      {isPeriod && data && data.donations > 0 && (
        <LeaveOut key={`${from} ${to}`} from={from} to={to} leftOut={leftOut} onChange={setLeftOut} />
      )}
      <p class="field__hint">{t('giftAid.claim.frozen')}</p>
    </FormDialog>
  );
}

/** The donations that a claim leaves out, by id. */
type LeftOut = ReadonlyMap<string, { readonly reason: LeftOutReason; readonly amount: number }>;

/** HM Revenue and Customs pays a quarter of each donation, rounded down for the whole claim as on the server. */
const lessBy = ({ donations, amount }: ClaimPreviewDto, count: number, left: number) => ({
  donations: donations - count,
  amount: amount - left,
  tax: Math.floor((amount - left) / 4),
});

const REASONS: readonly LeftOutReason[] = [
  'not_own_money',
  'company',
  'not_taxpayer',
  'unclear',
  'donor_asked',
  'other',
];

interface LeaveOutProps {
  readonly from: string;
  readonly to: string;
  readonly leftOut: LeftOut;
  readonly onChange: (leftOut: LeftOut) => void;
}

/** Leaves single donations out of the claim, each with a reason. */
function LeaveOut({ from, to, leftOut, onChange }: LeaveOutProps) {
  const [isOpen, setOpen] = useState(false);
  const { data, error, reload } = useQuery<ClaimCandidatesDto>(
    isOpen ? `/gift-aid/claims/preview/donations${queryOf({ from, to })}` : null,
  );
  const choose = ({ donationId, amount }: ClaimCandidateDto, reason: string) => {
    const next = new Map(leftOut);
    if (reason === 'none') next.delete(donationId);
    else next.set(donationId, { reason: reason as LeftOutReason, amount });
    onChange(next);
  };
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('giftAid.leaveOut')}</summary>
      <div class="stack">
        <p class="field__hint">{t('giftAid.leaveOutText')}</p>
        {error && <Failed error={error} retry={reload} />}
        {isOpen && !data && !error && <Skeleton rows={2} />}
        {data && (
          <LongList rows={data.data} label={t('giftAid.leaveOut')}>
            {(donation) => (
              <li key={donation.donationId} class="lines__row">
                <SelectField
                  label={t('giftAid.leftOutChoice', {
                    name: donation.donorName ?? t('donor.unnamed'),
                    amount: pounds(donation.amount),
                  })}
                  hint={calendarDay(donation.givenOn)}
                  value={leftOut.get(donation.donationId)?.reason ?? 'none'}
                  choices={['none' as const, ...REASONS].map((value) => ({
                    value,
                    label: t(`giftAid.leftOut.${value}`),
                  }))}
                  onValue={(reason) => choose(donation, reason)}
                />
              </li>
            )}
          </LongList>
        )}
      </div>
    </details>
  );
}
