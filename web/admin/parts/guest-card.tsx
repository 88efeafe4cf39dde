import type { GuestDto } from '../../../src/guests/dto/guest.dto.js';
import type { GuestCardLinkDto } from '../../../src/pledges/dto/card-charge.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { Skeleton } from '../../desk/states.js';
import { dateTime, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { useQuery } from '../api/query.js';
import { isMissingRoute } from '../api/errors.js';
import { QrCode } from './qr-code.js';

/** The code and the link with which a guest saves a card for pledges. */
export function GuestCard({ guest, onClose }: { guest: GuestDto; onClose: () => void }) {
  const { data: link, error } = useQuery<GuestCardLinkDto>(`/guests/${guest.id}/card`);
  return (
    <Dialog
      title={t('cards.guest')}
      subtitle={guest.name}
      onClose={onClose}
      actions={
        link && (
          <button
            type="button"
            class="button"
            onClick={() => void navigator.clipboard.writeText(link.url).then(() => say(t('action.copied')))}
          >
            {t('action.copy')}
          </button>
        )
      }
    >
      <div class="stack">
        {error && (
          <p class="note note--bad" role="alert">
            {isMissingRoute(error) ? t('state.notHere') : error.message}
          </p>
        )}
        {!link && !error && <Skeleton rows={3} />}
        {link && (
          <>
            <p>{t(link.hasCard ? 'cards.guestHas' : 'cards.guestText')}</p>
            <QrCode text={link.url} label={t('cards.guest')} />
            <p class="note">
              <span class="mono">{link.url}</span>
              <br />
              {t('pledge.until', { time: dateTime(link.expiresAt) })}
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}
