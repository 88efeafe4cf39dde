import { Icon } from '../../desk/icons.js';
import { Menu } from '../../desk/menu.js';
import { t } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed } from '../api/query.js';
import { can } from '../me.js';
import { type Donation, isOnline } from './donations.js';
import { download } from './downloads.js';
import { waitsForTransfer } from './receive-dialog.js';
import { usePacks } from './receipt-packs.js';

/** The dialog that an action opens above the sheet. */
export type OpenDialog = 'correct' | 'refund' | 'fulfil' | 'receive' | 'undo' | 'link' | undefined;

/** The buttons of a donation that the person may use in the present state of the donation. */
export function DonationActions({
  donation,
  onOpen,
}: {
  donation: Donation;
  onOpen: (open: OpenDialog) => void;
}) {
  // A refused receipt names fields of its country.
  usePacks();
  const { id, status, type } = donation;
  const isPledge = type === 'pledge' && status === 'PENDING';
  const canCancel = can('donations:cancel') && status !== 'CANCELLED' && status !== 'REFUNDED';
  const receipt = (form = '') =>
    download(`/export/receipts/${id}${form}`, 'receipt.pdf').then((ok) => ok && changed('/donations'));
  const email = async () => {
    try {
      await api(`/donations/${id}/email-receipt`, { method: 'POST' });
      say(t('receipt.queued', { email: donation.donorEmail ?? '' }));
      changed(`/donations/${id}`);
    } catch (error) {
      if (isMissingRoute(error)) say(t('state.notHere'), 'bad');
      else sayError(error);
    }
  };
  const moderate = async (message: 'visible' | 'hidden') => {
    try {
      await api(`/donations/${id}/moderation`, {
        method: 'POST',
        body: { message, expected: { message: donation.message } },
      });
      say(t(message === 'visible' ? 'moderation.shownAgain' : 'moderation.takenOff'));
      changed('/donations');
    } catch (error) {
      sayError(error);
    }
  };
  const moderates = donation.message !== null && can('messages:moderate');
  return (
    <>
      {can('donations:correct') && (
        <button type="button" class="button button--quiet" onClick={() => onOpen('correct')}>
          {t('action.correct')}
        </button>
      )}
      {status === 'COMPLETED' && can('receipts:read') && (
        <button type="button" class="button button--quiet" onClick={() => void receipt()}>
          <Icon name="download" size={16} /> {t('receipt.one')}
        </button>
      )}
      {isPledge && can('donations:fulfil') && (
        <button type="button" class="button" onClick={() => onOpen('fulfil')}>
          {t('fulfil.open')}
        </button>
      )}
      {waitsForTransfer(donation) && can('transfers:receive') && (
        <button
          type="button"
          class={isPledge ? 'button button--quiet' : 'button'}
          onClick={() => onOpen('receive')}
        >
          {t(isPledge ? 'transfers.ofPledge' : 'transfers.receive')}
        </button>
      )}
      {canCancel && (
        <button type="button" class="button button--quiet button--bad" onClick={() => onOpen('refund')}>
          {status === 'COMPLETED' ? t('refund.open') : t('refund.cancelOpen')}
        </button>
      )}
      {can('donations:correct') && (
        <Menu
          label={t('action.more')}
          class="button button--quiet button--icon"
          up
          items={[
            status === 'COMPLETED' &&
              can('receipts:read') && {
                label: t('receipt.acknowledgement'),
                onSelect: () => void receipt('?form=acknowledgement'),
              },
            status === 'COMPLETED' &&
              donation.donorEmail !== null && { label: t('receipt.email'), onSelect: () => void email() },
            isPledge && { label: t('pledge.link'), onSelect: () => onOpen('link') },
            !isOnline(donation) &&
              (status === 'COMPLETED' || isPledge) && {
                label: t('undo.open'),
                onSelect: () => onOpen('undo'),
              },
            moderates && { label: t('moderation.takeOff'), onSelect: () => void moderate('hidden') },
            moderates && { label: t('moderation.showAgain'), onSelect: () => void moderate('visible') },
            {
              label: t('action.copyId'),
              onSelect: () => void navigator.clipboard.writeText(id).then(() => say(t('action.copied'))),
            },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
    </>
  );
}
