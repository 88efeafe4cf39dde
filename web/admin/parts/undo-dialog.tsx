import { ConfirmDialog } from '../../desk/form-dialog.js';
import { money, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed } from '../api/query.js';
import { type Donation, keptOf } from './donations.js';

/** Undoes an offline record, after a question. */
export const UndoDialog = ({ donation, onClose }: { donation: Donation; onClose: () => void }) => (
  <ConfirmDialog
    title={t('undo.title')}
    confirm={t('undo.action', { amount: money(donation.amount, donation.currency) })}
    danger
    onClose={onClose}
    onConfirm={async () => {
      await api(`/donations/${donation.id}/undo`, { method: 'POST' });
      changed('/donations', '/events');
      say(t('undo.done', { amount: money(donation.amount, donation.currency) }));
    }}
  >
    <p>{t('undo.text', { amount: money(keptOf(donation), donation.currency) })}</p>
  </ConfirmDialog>
);
