import { useState } from 'preact/hooks';
import type { PaymentLink as PaymentLinkDto } from '../../../src/pledges/dto/pledge.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { dateTime, money, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import type { Donation } from './donations.js';

/** Payment link with which the donor pays the pledge online. */
export function PaymentLink({ donation, onClose }: { donation: Donation; onClose: () => void }) {
  const [link, setLink] = useState<PaymentLinkDto>();
  const [problem, setProblem] = useState<string>();
  const make = () =>
    api<PaymentLinkDto>(`/donations/${donation.id}/payment-link`, {
      method: 'POST',
    }).then(setLink, (error: unknown) =>
      setProblem(isMissingRoute(error) ? t('state.notHere') : (error as Error).message),
    );
  return (
    <Dialog
      title={t('pledge.link')}
      onClose={onClose}
      actions={
        link ? (
          <button
            type="button"
            class="button"
            onClick={() => void navigator.clipboard.writeText(link.url).then(() => say(t('action.copied')))}
          >
            {t('action.copy')}
          </button>
        ) : (
          <button type="button" class="button" onClick={() => void make()}>
            {t('pledge.make')}
          </button>
        )
      }
    >
      <div class="stack">
        <p>{t('pledge.text', { amount: money(donation.amount, donation.currency) })}</p>
        {problem !== undefined && (
          <p class="note note--bad" role="alert">
            {problem}
          </p>
        )}
        {link && (
          <p class="note">
            <span class="mono">{link.url}</span>
            <br />
            {t('pledge.until', { time: dateTime(link.expiresAt) })}
          </p>
        )}
      </div>
    </Dialog>
  );
}
