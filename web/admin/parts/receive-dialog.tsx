import type { ReceiveTransfer } from '../../../src/transfers/dto/received-transfer.dto.js';
import { MoneyField, SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { money, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed } from '../api/query.js';
import { type Donation, nameOf } from './donations.js';
import { useForm } from './form.js';

/** True for a transfer whose money can be booked: it is open, or its time is over. */
export const waitsForTransfer = ({ type, status, completedAt, staffName }: Donation): boolean =>
  type === 'bank_transfer' &&
  staffName === null &&
  (status === 'PENDING' || (status === 'CANCELLED' && completedAt === null));

/** Today in the time zone of this device, as the field of a day needs it. */
export const today = (): string =>
  new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

interface ReceiveFields {
  readonly receivedOn: string;
  readonly amount: number | null | undefined;
  /** The amount that is right, if the two differ. */
  readonly right: 'received' | 'announced';
}

/** Marks one bank transfer as received. If the amount differs, the person chooses the right one. */
export function ReceiveDialog({ donation, onClose }: { donation: Donation; onClose: () => void }) {
  const { id, currency } = donation;
  const form = useForm<ReceiveFields>(`receive.${id}`, t('transfers.receive'), {
    receivedOn: today(),
    amount: donation.amount,
    right: 'received',
  });
  const [receivedOn, setReceivedOn] = form.field('receivedOn');
  const [typed, setTyped] = form.field('amount');
  const [right, setRight] = form.field('right');
  const differs = typeof typed === 'number' && typed !== donation.amount;
  const amount = differs && right === 'received' ? typed : donation.amount;
  return (
    <FormDialog
      form={form}
      title={t('transfers.receive')}
      subtitle={[nameOf(donation), donation.reference].filter(Boolean).join(' · ')}
      submit={t('transfers.receiveAction', { amount: money(amount, currency) })}
      disabled={typeof typed !== 'number' || typed === 0}
      onClose={onClose}
      onSave={async () => {
        const body: ReceiveTransfer = {
          receivedOn,
          amount,
          ...(amount !== donation.amount && { amountDiffers: true }),
        };
        await api(`/donations/${id}/receive`, { method: 'POST', body });
        changed('/donations', '/events');
        say(t('transfers.receivedOne', { amount: money(amount, currency) }));
        onClose();
      }}
    >
      <TextField
        label={t('transfers.receivedOn')}
        type="date"
        required
        max={today()}
        value={receivedOn}
        error={form.error('receivedOn')}
        onValue={setReceivedOn}
      />
      <MoneyField
        label={t('transfers.amount')}
        currency={currency}
        value={typed ?? null}
        error={form.error('amount')}
        onValue={setTyped}
      />
      {differs && (
        <SelectField
          label={t('transfers.differs')}
          value={right}
          choices={[
            { value: 'received', label: t('transfers.rightReceived', { amount: money(typed, currency) }) },
            {
              value: 'announced',
              label: t('transfers.rightAnnounced', { amount: money(donation.amount, currency) }),
            },
          ]}
          onValue={setRight}
        />
      )}
      <p class="note">{t('transfers.receiveWill', { amount: money(amount, currency) })}</p>
    </FormDialog>
  );
}
