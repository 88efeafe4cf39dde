import type { ReceiveTransfer } from '../../../src/transfers/dto/received-transfer.dto.js';
import { MoneyField, SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { money, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { newKey } from '../api/once.js';
import { changed } from '../api/query.js';
import { type Donation, nameOf } from './donations.js';
import { useForm } from './form.js';

/** True for a pledge or transfer whose money can be booked: it is open, or the time of the transfer is over. */
export const waitsForTransfer = ({ type, status, completedAt, staffName }: Donation): boolean =>
  (type === 'pledge' && status === 'PENDING') ||
  (type === 'bank_transfer' &&
    staffName === null &&
    (status === 'PENDING' || (status === 'CANCELLED' && completedAt === null)));

/** Today in the time zone of this device, as the field of a day needs it. */
export const today = (): string =>
  new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

interface ReceiveFields {
  readonly receivedOn: string;
  readonly amount: number | null | undefined;
  /** The amount that is right, if the two differ. Of a pledge: `own` books a donation of its own. */
  readonly right: 'received' | 'announced' | 'own';
  /** Key of the request; empty before the first attempt. */
  readonly key: string;
}

/** Marks one bank transfer as received. If the amount differs, the person chooses what it means. */
export function ReceiveDialog({ donation, onClose }: { donation: Donation; onClose: () => void }) {
  const { id, currency } = donation;
  const form = useForm<ReceiveFields>(`receive.${id}`, t('transfers.receive'), {
    receivedOn: today(),
    amount: donation.amount,
    right: 'received',
    key: '',
  });
  const [receivedOn, setReceivedOn] = form.field('receivedOn');
  const [typed, setTyped] = form.field('amount');
  const [right, setRight] = form.field('right');
  const differs = typeof typed === 'number' && typed !== donation.amount;
  const isPledge = donation.type === 'pledge';
  const [kept, setKey] = form.field('key');
  const isOwn = differs && right === 'own';
  const amount = differs && right !== 'announced' ? typed : donation.amount;
  const other: ReceiveFields['right'] = isPledge ? 'own' : 'announced';
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
          ...(isOwn ? { asOwnDonation: true } : amount !== donation.amount && { amountDiffers: true }),
        };
        const key = kept || newKey();
        setKey(key);
        await api(`/donations/${id}/receive`, {
          method: 'POST',
          body,
          ...(isOwn && { headers: { 'idempotency-key': key } }),
        });
        changed('/donations', '/events', '/pledges');
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
          label={t(isPledge ? 'transfers.pledgeDiffers' : 'transfers.differs')}
          value={right === 'received' ? right : other}
          choices={[
            {
              value: 'received',
              label: t(isPledge ? 'transfers.pledgePaid' : 'transfers.rightReceived', {
                amount: money(typed, currency),
              }),
            },
            {
              value: other,
              label: isPledge
                ? t('transfers.pledgeOwn', { amount: money(donation.amount, currency) })
                : t('transfers.rightAnnounced', { amount: money(donation.amount, currency) }),
            },
          ]}
          onValue={setRight}
        />
      )}
      <p class="note">
        {t(isOwn ? 'transfers.ownWill' : isPledge ? 'transfers.pledgeWill' : 'transfers.receiveWill', {
          amount: money(amount, currency),
          pledged: money(donation.amount, currency),
        })}
      </p>
    </FormDialog>
  );
}
