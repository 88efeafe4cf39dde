import { useState } from 'preact/hooks';
import type { EventSettingsDto } from '../../../src/events/dto/event-settings.dto.js';
import { CheckField, MoneyField, SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { dateTime, exponentOf, money, t, word } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { confirmAbove } from '../../kit/large-amounts.js';
import { api } from '../api/client.js';
import { ApiError, hasCode } from '../api/errors.js';
import { newKey } from '../api/once.js';
import { changed, useQuery } from '../api/query.js';
import { type Donation, OFFLINE, REFERENCE_LABEL } from './donations.js';
import { toLocal } from './event-form.js';
import type { DeskEvent } from './events.js';

/** The server accepts a time of the donation from the day before the event until now. */
const BEFORE_EVENT_MS = 48 * 3_600_000;

/** Records a donation in the dashboard, for example cash found the next morning or a bank transfer. */
export function RecordDialog({
  events,
  event: first,
  onClose,
}: {
  events: readonly DeskEvent[];
  event: DeskEvent;
  onClose: () => void;
}) {
  const open = events.filter(({ status }) => status !== 'draft' && status !== 'archived');
  const [slug, setSlug] = useState(
    open.some((one) => one.slug === first.slug) ? first.slug : (open[0]?.slug ?? ''),
  );
  const event = open.find((one) => one.slug === slug);
  const [amount, setAmount] = useState<number | null | undefined>(null);
  const [type, setType] = useState<(typeof OFFLINE)[number]>('cash');
  const [donorName, setName] = useState('');
  const [donorEmail, setEmail] = useState('');
  const [isAnonymous, setAnonymous] = useState(false);
  const [message, setMessage] = useState('');
  const [paddle, setPaddle] = useState('');
  const [reference, setReference] = useState('');
  const [note, setNote] = useState('');
  /** Local date and time, as the field contains it. Empty: now. */
  const [received, setReceived] = useState('');
  const referenceLabel = REFERENCE_LABEL[type];
  /** True while the dialog asks if the amount is correct. */
  const [asking, setAsking] = useState(false);
  const settings = useQuery<EventSettingsDto>(event ? `/events/${event.id}/settings` : null);
  // If the settings are not loaded, use the default limit. An unnecessary question does no harm.
  const limit = event
    ? confirmAbove(
        settings.data?.donation.confirmOfflineAbove ?? null,
        event.currency,
        exponentOf(event.currency),
      )
    : 0;
  // The key stays the same until the server answers, so that a repeated attempt records no second donation.
  const [key, setKey] = useState(newKey);

  const save = async () => {
    if (!event || !amount) return;
    if (amount > limit && !asking) {
      setAsking(true);
      return;
    }
    try {
      const donation = await api<Donation>('/donations', {
        method: 'POST',
        headers: { 'idempotency-key': key },
        body: {
          eventId: event.id,
          amount,
          type,
          ...(donorName.trim() !== '' && { donorName }),
          ...(donorEmail.trim() !== '' && { donorEmail }),
          ...(message.trim() !== '' && { message }),
          ...(paddle.trim() !== '' && { paddle }),
          ...(referenceLabel && reference.trim() !== '' && { reference }),
          ...(note.trim() !== '' && { note }),
          ...(received !== '' && { recordedAt: new Date(received).toISOString() }),
          isAnonymous: isAnonymous || donorName.trim() === '',
          ...(asking && { confirmed: true }),
        },
      });
      changed('/donations', '/events');
      say(t('record.done', { amount: money(donation.amount, donation.currency) }));
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) setKey(newKey());
      // The limit was lowered after this page read it.
      if (!hasCode(error, 'CONFIRMATION_REQUIRED')) throw error;
      setAsking(true);
    }
  };
  if (asking && event && amount)
    return (
      <FormDialog
        key="confirm"
        title={t('record.large')}
        submit={t('record.confirm', { amount: money(amount, event.currency) })}
        cancel={t('record.change')}
        onSave={save}
        onClose={() => setAsking(false)}
      >
        <p class="record__amount number">{money(amount, event.currency)}</p>
        <p>{[event.name, word('type', type), donorName.trim()].filter(Boolean).join(' · ')}</p>
        {amount > limit && <p>{t('record.largeText', { limit: money(limit, event.currency) })}</p>}
      </FormDialog>
    );
  const earliest = Math.min(Date.now(), Date.parse(event?.date ?? '') || Infinity) - BEFORE_EVENT_MS;
  const receivedAt = Date.parse(received);
  const timeError =
    receivedAt > Date.now()
      ? t('record.inFuture')
      : receivedAt < earliest
        ? t('record.tooEarly', { time: dateTime(earliest) })
        : undefined;
  return (
    <FormDialog
      key="record"
      title={t('record.title')}
      submit={t('record.action')}
      disabled={!amount || timeError !== undefined}
      onSave={save}
      onClose={onClose}
    >
      <SelectField
        label={t('event.one')}
        value={slug}
        choices={open.map((one) => ({ value: one.slug, label: one.name }))}
        onValue={setSlug}
      />
      <div class="pair">
        <MoneyField
          key={event?.currency}
          label={t('donation.amount')}
          currency={event?.currency ?? 'eur'}
          value={amount ?? null}
          onValue={setAmount}
          autoFocus
        />
        <SelectField
          label={t('donation.kind')}
          value={type}
          choices={OFFLINE.map((value) => ({ value, label: word('type', value) }))}
          onValue={setType}
        />
      </div>
      {referenceLabel && (
        <TextField
          label={t(referenceLabel)}
          value={reference}
          maxLength={60}
          onValue={setReference}
          optional
        />
      )}
      <div class="pair">
        <TextField label={t('donor.name')} value={donorName} maxLength={200} onValue={setName} optional />
        <TextField
          label={t('field.email')}
          type="email"
          value={donorEmail}
          maxLength={254}
          onValue={setEmail}
          optional
        />
      </div>
      <div class="pair">
        <TextField
          label={t('record.received')}
          type="datetime-local"
          max={toLocal(new Date().toISOString())}
          hint={t('record.receivedHint')}
          error={timeError}
          value={received}
          onValue={setReceived}
          optional
        />
        <TextField
          label={t('donation.paddle')}
          value={paddle}
          maxLength={12}
          pattern="[0-9A-Za-z\-]*"
          onValue={setPaddle}
          optional
        />
      </div>
      <TextField
        label={t('donation.message')}
        hint={t('record.messageHint')}
        value={message}
        maxLength={500}
        onValue={setMessage}
        optional
      />
      <CheckField label={t('donation.anonymous')} checked={isAnonymous} onChecked={setAnonymous} />
      <TextField
        label={t('donation.note')}
        hint={t('donation.noteHint')}
        value={note}
        maxLength={500}
        onValue={setNote}
        optional
      />
    </FormDialog>
  );
}
