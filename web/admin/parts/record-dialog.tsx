import { useState } from 'preact/hooks';
import type { EventSettingsDto } from '../../../src/events/dto/event-settings.dto.js';
import { earliestGivenAt } from '../../../src/donations/recording/given-at.js';
import { MoneyField, SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { dateTime, exponentOf, money, t, word } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { confirmAbove } from '../../kit/large-amounts.js';
import { api } from '../api/client.js';
import { ApiError, hasCode } from '../api/errors.js';
import { newKey } from '../api/once.js';
import { changed, useQuery } from '../api/query.js';
import { DonorFields, type DonorTexts } from './donor-fields.js';
import { type Donation, OFFLINE, REFERENCE_LABEL } from './donations.js';
import { toLocal } from './event-form.js';
import { useForm } from './form.js';
import { tributeIn, tributeTexts, useTribute } from './tribute-fields.js';
import type { DeskEvent } from './events.js';

interface RecordFields extends DonorTexts {
  readonly slug: string;
  readonly amount: number | null | undefined;
  readonly type: (typeof OFFLINE)[number];
  readonly paddle: string;
  readonly reference: string;
  readonly received: string;
  /** Key of the request; empty before the first attempt. */
  readonly key: string;
}

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
  const form = useForm<RecordFields>('record', t('record.title'), {
    slug: open.some((one) => one.slug === first.slug) ? first.slug : (open[0]?.slug ?? ''),
    amount: null,
    type: 'cash',
    donorName: '',
    donorEmail: '',
    isAnonymous: false,
    isAmountHidden: false,
    message: '',
    ...tributeTexts(null),
    paddle: '',
    reference: '',
    note: '',
    received: '',
    key: '',
  });
  const [slug, setSlug] = form.field('slug');
  const event = open.find((one) => one.slug === slug);
  const [amount, setAmount] = form.field('amount');
  const [type, setType] = form.field('type');
  const [donorName] = form.field('donorName');
  const [donorEmail] = form.field('donorEmail');
  const [isAnonymous] = form.field('isAnonymous');
  const [isAmountHidden] = form.field('isAmountHidden');
  const [message] = form.field('message');
  const [paddle, setPaddle] = form.field('paddle');
  const [reference, setReference] = form.field('reference');
  const [note] = form.field('note');
  /** Local date and time in the format of the field; empty for the current time. */
  const [received, setReceived] = form.field('received');
  const tribute = useTribute(form);
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
  // The key stays the same until the server answers, also in a draft, so that a repeated attempt records no second donation.
  const [kept, setKey] = form.field('key');

  const save = async () => {
    if (!event || !amount) return false;
    if (amount > limit && !asking) {
      setAsking(true);
      return false;
    }
    const key = kept || newKey();
    setKey(key);
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
          ...(tribute.tributeKind !== '' && { tribute: tributeIn(tribute) }),
          ...(paddle.trim() !== '' && { paddle }),
          ...(referenceLabel && reference.trim() !== '' && { reference }),
          ...(note.trim() !== '' && { note }),
          ...(received !== '' && { recordedAt: new Date(received).toISOString() }),
          isAnonymous: isAnonymous || donorName.trim() === '',
          ...(isAmountHidden && { isAmountHidden }),
          ...(asking && { confirmed: true }),
        },
      });
      changed('/donations', '/events');
      say(t('record.done', { amount: money(donation.amount, donation.currency) }));
      onClose();
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) setKey('');
      // The limit was lowered after this page read it.
      if (!hasCode(error, 'CONFIRMATION_REQUIRED')) throw error;
      setAsking(true);
      return false;
    }
  };
  if (asking && event && amount)
    return (
      <FormDialog
        key="confirm"
        form={{ ...form, note: null, discard: () => undefined }}
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
  const now = new Date();
  const earliest = earliestGivenAt(now, event?.date === undefined ? now : new Date(event.date));
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
      form={form}
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
          error={form.error('reference')}
          maxLength={60}
          onValue={setReference}
          optional
        />
      )}
      <DonorFields form={form} messageHint={t('record.messageHint')}>
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
            error={form.error('paddle')}
            maxLength={12}
            pattern="[0-9A-Za-z\-]*"
            onValue={setPaddle}
            optional
          />
        </div>
      </DonorFields>
    </FormDialog>
  );
}
