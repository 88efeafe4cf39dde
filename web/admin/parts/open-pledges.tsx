import { useState } from 'preact/hooks';
import type { OpenPledgeDto } from '../../../src/pledges/dto/open-pledge.dto.js';
import type { PledgeRemindersDto } from '../../../src/pledges/dto/pledge.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { CheckField, SelectField } from '../../desk/fields.js';
import { ConfirmDialog } from '../../desk/form-dialog.js';
import { Empty, Failed, NotHere, Skeleton } from '../../desk/states.js';
import { dateTime, known, moment, money, number, t, tn, word } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { once } from '../../kit/clicks.js';
import { api } from '../api/client.js';
import { ApiError, isMissingRoute } from '../api/errors.js';
import { changed, useList } from '../api/query.js';
import { can } from '../me.js';
import { CardCharges, reasonOf } from './card-charges.js';
import { nameOf, RECEIVED } from './donations.js';
import { download } from './downloads.js';
import type { DeskEvent } from './events.js';
import { MailOff } from './mail-off.js';

/** The largest number of pledges in one request for reminders. */
const MOST = 200;

/** Lists the unpaid pledges of an event. The chosen pledges get a reminder, or are marked as paid. */
export function OpenPledges({ event, onClose }: { event: DeskEvent; onClose: () => void }) {
  const list = useList<OpenPledgeDto>('/pledges/open', { eventId: event.id, limit: String(MOST) });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  /** Result of the last action on each pledge: `queued`, `paid`, or the code of an error. */
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, string>>(new Map());
  const [asking, setAsking] = useState<'remind' | 'paid' | 'cards' | undefined>();
  const [type, setType] = useState<(typeof RECEIVED)[number]>('bank_transfer');
  const rows = list.rows.filter(({ id }) => outcomes.get(id) !== 'paid');
  const selected = rows.filter(({ id }) => chosen.has(id));
  const sum = sumOf(selected);
  const finish = (done: ReadonlyMap<string, string>) => {
    setOutcomes(new Map([...outcomes, ...done]));
    setChosen(new Set());
    setAsking(undefined);
  };
  const remind = async () => {
    const ids = selected.map(({ id }) => id);
    const { skipped, waitsUntil } = await api<PledgeRemindersDto>('/pledges/reminders', {
      method: 'POST',
      body: { donationIds: ids },
    });
    const codes = new Map(skipped.map(({ donationId, code }) => [donationId, code]));
    finish(new Map(ids.map((id) => [id, codes.get(id) ?? 'queued'])));
    if (waitsUntil) say(t('pledges.waits', { time: dateTime(waitsUntil) }));
    changed('/emails', '/pledges');
  };
  const writeLetters = async () => {
    const body = { donationIds: selected.map(({ id }) => id) };
    if (await download('/pledges/letters', 'pledge-letters.pdf', body)) changed('/pledges');
  };
  const markPaid = async () => {
    const done = new Map<string, string>();
    try {
      for (const { id } of selected)
        try {
          await api(`/donations/${id}/fulfil`, { method: 'POST', body: { type } });
          done.set(id, 'paid');
        } catch (error) {
          // Another member may have marked this pledge meanwhile. Other errors concern the remaining pledges too.
          if (!(error instanceof ApiError) || error.status !== 409) throw error;
          done.set(id, error.code);
        }
      finish(done);
    } catch (error) {
      setOutcomes(new Map([...outcomes, ...done]));
      throw error;
    } finally {
      changed('/donations', '/events', '/pledge-rounds', '/pledges');
    }
  };
  if (asking === 'cards') return <CardCharges event={event} onClose={() => setAsking(undefined)} />;
  if (asking === 'remind')
    return (
      <ConfirmDialog
        title={tn('pledges.askRemind', selected.length)}
        confirm={t('pledges.remind')}
        onConfirm={remind}
        onClose={() => setAsking(undefined)}
      >
        <p>{t('pledges.remindText')}</p>
        <MailOff />
      </ConfirmDialog>
    );
  if (asking === 'paid')
    return (
      <ConfirmDialog
        title={tn('pledges.askPaid', selected.length)}
        confirm={t('fulfil.action', { amount: sum })}
        onConfirm={markPaid}
        onClose={() => setAsking(undefined)}
      >
        <SelectField
          label={t('fulfil.how')}
          value={type}
          choices={RECEIVED.map((value) => ({ value, label: word('type', value) }))}
          onValue={setType}
        />
        <p class="note">{t('fulfil.will', { amount: sum })}</p>
      </ConfirmDialog>
    );
  return (
    <Dialog
      look="wide"
      title={t('pledges.title')}
      subtitle={event.name}
      onClose={onClose}
      actions={
        <>
          <span class="dialog__count" role="status">
            {selected.length > 0 && tn('pledges.chosen', selected.length, { amount: sum })}
          </span>
          <button type="button" class="button button--quiet" onClick={() => setAsking('cards')}>
            {t('cards.open')}
          </button>
          {can('pledges:letters') && (
            <button
              type="button"
              class="button button--quiet"
              disabled={selected.length === 0 || selected.length > MOST}
              onClick={once(writeLetters)}
            >
              {t('pledges.letters')}
            </button>
          )}
          {can('emails:send') && (
            <button
              type="button"
              class="button button--quiet"
              disabled={selected.length === 0}
              onClick={() => setAsking('remind')}
            >
              {t('pledges.remind')}
            </button>
          )}
          <button
            type="button"
            class="button"
            disabled={selected.length === 0}
            onClick={() => setAsking('paid')}
          >
            {t('pledges.paid')}
          </button>
        </>
      }
    >
      {list.error &&
        (isMissingRoute(list.error) ? <NotHere /> : <Failed error={list.error} retry={list.reload} />)}
      {list.loading && list.rows.length === 0 && <Skeleton rows={6} />}
      {!list.loading && !list.error && rows.length === 0 && (
        <Empty icon="donations" title={t('closing.noPledges')} />
      )}
      {rows.length > 0 && (
        <>
          <CheckField
            label={t('pledges.all')}
            checked={selected.length === rows.length}
            onChecked={(on) => setChosen(new Set(on ? rows.map(({ id }) => id) : []))}
          />
          <ul class="lines">
            {rows.map((row) => (
              <li key={row.id} class="lines__row">
                <CheckField
                  label={[
                    nameOf(row),
                    row.table && `${t('guest.field.table')} ${row.table}`,
                    row.paddle && `${t('donation.paddle')} ${row.paddle}`,
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                  hint={hintOf(row, outcomes.get(row.id))}
                  checked={chosen.has(row.id)}
                  onChecked={(on) => {
                    const next = new Set(chosen);
                    if (on) next.add(row.id);
                    else next.delete(row.id);
                    setChosen(next);
                  }}
                />
                <strong class="number">{money(row.amount, row.currency)}</strong>
              </li>
            ))}
          </ul>
          {list.more && (
            <button
              type="button"
              class="button button--quiet"
              onClick={list.more}
              disabled={list.loadingMore}
            >
              {t('action.showMore', { count: number((list.total ?? rows.length) - list.rows.length) })}
            </button>
          )}
        </>
      )}
    </Dialog>
  );
}

/** The sum of the pledges, one for each currency: an event may have had another currency before. */
function sumOf(pledges: readonly OpenPledgeDto[]): string {
  const sums = new Map<string, number>();
  for (const { amount, currency } of pledges) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => money(amount, currency)).join(' + ');
}

/** The outcome of the last action; without one, the address and the last e-mail or letter. */
function hintOf(pledge: OpenPledgeDto, outcome: string | undefined): string {
  if (outcome !== undefined) return known('pledges.result', outcome) ?? t('pledges.result.failed');
  const reach =
    pledge.reach === 'opted_out'
      ? t('pledges.optedOut')
      : (pledge.donorEmail ?? t('pledges.result.DONOR_EMAIL_MISSING'));
  return [reach, ...contactOf(pledge), ...cardOf(pledge)].join(' · ');
}

const cardOf = ({ cardState, cardCode }: OpenPledgeDto): string[] =>
  cardState === null
    ? []
    : [t(`cards.state.${cardState}`) + (cardCode === null ? '' : ` (${reasonOf(cardCode)})`)];

function contactOf({ lastContact, reach }: OpenPledgeDto): string[] {
  if (!lastContact) return reach === 'email' ? [t('pledges.noContact')] : [];
  const { kind, state, at } = lastContact;
  const isNotSent = state !== null && state !== 'sent';
  return [word('emailKind', kind), ...(isNotSent ? [t(`refund.status.${state}`)] : []), moment(at)];
}
