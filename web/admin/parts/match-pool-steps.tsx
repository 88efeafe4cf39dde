import { useState } from 'preact/hooks';
import type { DonationDto } from '../../../src/donations/dto/donation.dto.js';
import type { MatchPoolDto } from '../../../src/match/dto/match-pool.dto.js';
import { MoneyField, SearchBox, SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { Failed } from '../../desk/states.js';
import { dateTime, money, moment, t, word } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api, queryOf } from '../api/client.js';
import { ApiError, hasCode } from '../api/errors.js';
import { newKey } from '../api/once.js';
import { changed, useQuery } from '../api/query.js';
import { go, href } from '../router.js';
import { nameOf, RECEIVED } from './donations.js';
import { toLocal } from './event-form.js';
import { useForm } from './form.js';

export type Step = 'open' | 'pause' | 'resume' | 'end' | 'cancel' | 'settle' | 'delete';

/** The steps that the page offers. The server checks each step again. */
export function stepsOf({ status, drawn, kept }: MatchPoolDto): readonly Step[] {
  switch (status) {
    case 'draft':
      return ['open', 'delete'];
    case 'scheduled':
      return ['open', 'cancel'];
    case 'open':
      return drawn + kept === 0 ? ['pause', 'end', 'cancel'] : ['pause', 'end'];
    case 'paused':
      return ['resume', 'end'];
    case 'ended':
      return ['settle'];
    default:
      return [];
  }
}

/** Explains a step of a pool and asks for a confirmation. */
export function StepDialog({ pool, step, onClose }: { pool: MatchPoolDto; step: Step; onClose: () => void }) {
  const [note, setNote] = useState('');
  const [confirmed, setConfirmed] = useState(false);
  const { id, name, currency, status, opensAt, due, kept } = pool;
  const waits = step === 'open' && status === 'draft' && opensAt !== null && Date.parse(opensAt) > Date.now();
  const needsNote = step === 'settle' && (due > 0 || kept > 0);
  const send = async () => {
    if (step === 'delete') await api(`/match-pools/${id}`, { method: 'DELETE' });
    else {
      const body = { ...(confirmed && { confirmed }), ...(note.trim() !== '' && { note }) };
      await api(`/match-pools/${id}/${step}`, { method: 'POST', body });
    }
    changed('/match-pools');
    say(t('state.done'));
    onClose();
    if (step === 'delete') go(href('match-pools', { event: pool.eventId }));
  };
  return (
    <FormDialog
      title={t(`match.ask.${step}`, { name })}
      submit={t(confirmed ? 'match.anyway' : `match.step.${step}`)}
      cancel={t('action.keep')}
      danger={step === 'end' || step === 'cancel' || step === 'delete'}
      disabled={needsNote && note.trim() === ''}
      onClose={onClose}
      onSave={async () => {
        try {
          await send();
        } catch (error) {
          // The pools of the event together add very much. The server asks if that is intended.
          setConfirmed(hasCode(error, 'MATCH_RATIOS_HIGH'));
          if (hasCode(error, 'MATCH_POOL_STATUS')) changed('/match-pools');
          throw error;
        }
      }}
    >
      <p>{waits ? t('match.will.schedule', { time: dateTime(opensAt) }) : t(`match.will.${step}`)}</p>
      {step === 'settle' && (
        <>
          {due > 0 && <p class="note note--warn">{t('match.stillDue', { amount: money(due, currency) })}</p>}
          {kept > 0 && (
            <p class="note note--warn">{t('match.stillKept', { amount: money(kept, currency) })}</p>
          )}
          <TextField
            label={t('match.reason')}
            value={note}
            onValue={setNote}
            maxLength={300}
            rows={2}
            optional={!needsNote}
            required={needsNote}
          />
        </>
      )}
    </FormDialog>
  );
}

interface PaymentFields {
  readonly how: 'new' | 'known';
  readonly amount: number | null | undefined;
  readonly type: (typeof RECEIVED)[number];
  /** Local date and time; empty for the current time. */
  readonly received: string;
  readonly note: string;
  readonly search: string;
  readonly donation: string;
  /** Key of the request; empty before the first attempt. */
  readonly key: string;
}

/** Records a payment of the matcher, or counts a donation that is already recorded as one. */
export function PaymentDialog({ pool, onClose }: { pool: MatchPoolDto; onClose: () => void }) {
  const { id, eventId, currency, due } = pool;
  const form = useForm<PaymentFields>(`match.pay.${id}`, `${t('match.pay')}: ${pool.name}`, {
    how: 'new',
    amount: due > 0 ? due : null,
    type: 'bank_transfer',
    received: '',
    note: '',
    search: pool.matcherName ?? '',
    donation: '',
    key: '',
  });
  const [how, setHow] = form.field('how');
  const [amount, setAmount] = form.field('amount');
  const [type, setType] = form.field('type');
  const [received, setReceived] = form.field('received');
  const [note, setNote] = form.field('note');
  const [search, setSearch] = form.field('search');
  const [donation, setDonation] = form.field('donation');
  const [kept, setKey] = form.field('key');
  const [asking, setAsking] = useState(false);
  const isNew = how === 'new';
  const found = useQuery<{ data: readonly DonationDto[] }>(
    isNew ? null : `/donations${queryOf({ eventId, currency, status: 'COMPLETED', search, limit: 8 })}`,
    { typed: true },
  );
  const save = async () => {
    const key = kept || newKey();
    setKey(key);
    const body = isNew
      ? {
          type,
          amount,
          ...(received !== '' && { receivedAt: new Date(received).toISOString() }),
          ...(note.trim() !== '' && { note }),
          ...(asking && { confirmed: true }),
        }
      : { donationId: donation };
    try {
      await api(`/match-pools/${id}/settlements`, {
        method: 'POST',
        ...(isNew && { headers: { 'idempotency-key': key } }),
        body,
      });
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) setKey('');
      if (!hasCode(error, 'CONFIRMATION_REQUIRED')) throw error;
      // The next attempt confirms the large amount.
      setAsking(true);
      throw new Error(t('record.large'), { cause: error });
    }
    changed('/match-pools', '/donations', '/events');
    say(t('state.done'));
    onClose();
  };
  return (
    <FormDialog
      form={form}
      title={t('match.pay')}
      subtitle={pool.name}
      submit={
        asking && amount ? t('record.confirm', { amount: money(amount, currency) }) : t('record.action')
      }
      disabled={isNew ? !amount : donation === ''}
      onClose={onClose}
      onSave={save}
    >
      <SelectField
        label={t('match.payHow')}
        value={how}
        choices={(['new', 'known'] as const).map((value) => ({ value, label: t(`match.pay.${value}`) }))}
        onValue={setHow}
      />
      {isNew ? (
        <>
          <div class="pair">
            <MoneyField
              label={t('donation.amount')}
              currency={currency}
              value={amount ?? null}
              onValue={setAmount}
              error={form.error('amount')}
            />
            <SelectField
              label={t('donation.kind')}
              value={type}
              choices={RECEIVED.map((value) => ({ value, label: word('type', value) }))}
              onValue={setType}
            />
          </div>
          <TextField
            label={t('record.received')}
            type="datetime-local"
            max={toLocal(new Date().toISOString())}
            hint={t('record.receivedHint')}
            error={form.error('receivedAt')}
            value={received}
            onValue={setReceived}
            optional
          />
          <TextField
            label={t('donation.note')}
            value={note}
            error={form.error('note')}
            onValue={setNote}
            maxLength={1000}
            optional
          />
        </>
      ) : (
        <>
          <SearchBox label={t('filter.search')} value={search} onValue={setSearch} />
          {found.error && <Failed error={found.error} retry={found.reload} />}
          {found.data?.data.length === 0 && <p class="field__hint">{t('state.noMatch')}</p>}
          <fieldset class="choices">
            <legend class="visually-hidden">{t('donation.many')}</legend>
            {found.data?.data
              .filter(({ matchPoolId }) => matchPoolId === undefined)
              .map((one) => (
                <label key={one.id} class={one.id === donation ? 'choice choice--chosen' : 'choice'}>
                  <input
                    type="radio"
                    name="donation"
                    checked={one.id === donation}
                    onChange={() => setDonation(one.id)}
                  />
                  <span>
                    {money(one.amount, one.currency)} · {nameOf(one)} · {word('type', one.type)} ·{' '}
                    {moment(one.createdAt)}
                  </span>
                </label>
              ))}
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}
