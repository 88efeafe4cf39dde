import { useState } from 'preact/hooks';
import type { DonationDto } from '../../src/donations/dto/donation.dto.js';
import { type Ask, ask, askFile } from './api.js';
import { DonorFields } from './donor-fields.jsx';
import { useMinutes } from './last-record.jsx';
import { Dialog, Icon, kindName } from './parts.jsx';
import { type Donor, hasBadEmail, type Kind, RECEIVED, trimmed } from './records.js';
import type { Session } from './sessions.js';
import { announce } from './signals.js';
import { locale, t } from './texts.js';
import { till } from './till.js';
import { minutesLeft, refusalText } from './undo.js';

interface Props {
  readonly donation: DonationDto;
  readonly session: Session;
  readonly onClose: () => void;
  readonly onChange: (donation: DonationDto) => void;
}

/** A record that is on the server. The member can correct it, mark a pledge as paid, undo it, or open its receipt. */
export function DonationDialog({ donation, session, onClose, onChange }: Props) {
  const [donor, setDonor] = useState<Donor>(() => donorOf(donation));
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState(false);
  const [link, setLink] = useState<string>();
  useMinutes();
  const time = new Intl.DateTimeFormat(locale.now, { timeStyle: 'short' }).format(
    new Date(donation.recordedAt),
  );
  const left = minutesLeft(donation.createdAt, session.rules.undoMinutes);
  const open = donation.status === 'PENDING' && donation.type === 'pledge';

  const change = async (path: string, request: Ask, done: string) => {
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const device = till.terminals.terminal.now?.deviceToken;
      const changed = await ask<DonationDto>(`/donations/${donation.id}${path}`, {
        ...request,
        token: session.token,
        device,
      });
      await till.queue.restate(changed.id, changed.status).catch(() => undefined);
      announce(done);
      onChange(changed);
    } catch (error) {
      setProblem(refusalText(error, session.token));
    } finally {
      setBusy(false);
    }
  };
  const shareLink = async () => {
    setProblem(undefined);
    try {
      const { url } = await ask<{ url: string }>(`/donations/${donation.id}/payment-link`, {
        method: 'POST',
        token: session.token,
      });
      setLink(url);
      await navigator.clipboard.writeText(url).catch(() => undefined);
    } catch (error) {
      setProblem(refusalText(error, session.token));
    }
  };
  const receipt = async () => {
    setProblem(undefined);
    try {
      const file = await askFile(`/export/receipts/${donation.id}`, { token: session.token });
      download(file, `receipt-${donation.id}.pdf`);
    } catch (error) {
      setProblem(refusalText(error, session.token));
    }
  };
  return (
    <Dialog title={t('record.title', { time })} onClose={onClose}>
      <div class={`stack ${busy ? 'busy' : ''}`}>
        <p class="record__head">
          <Icon of={donation.type as Kind} />
          <strong class="dialog__amount number">{till.money(donation.amount, donation)}</strong>
          <span>{kindName(donation.type as Kind)}</span>
        </p>
        {open && (
          <div>
            <p class="field__label">{t('fulfil')}</p>
            <div class="choices">
              {RECEIVED.map((type) => (
                <button
                  key={type}
                  type="button"
                  class="choice"
                  onClick={() => void change('/fulfil', { method: 'POST', body: { type } }, t('fulfil.done'))}
                >
                  <Icon of={type} />
                  {kindName(type)}
                </button>
              ))}
            </div>
          </div>
        )}
        {link !== undefined && (
          <p class="note">
            {t('record.linkText')} <a href={link}>{link}</a>
          </p>
        )}
        <form
          noValidate
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            setChecked(true);
            if (hasBadEmail(donor)) return;
            void change('', { method: 'PATCH', body: fieldsOf(donor) }, t('record.saved'));
          }}
        >
          <DonorFields checked={checked} donor={donor} onChange={setDonor} />
          {problem && (
            <p class="field__error" role="alert">
              {problem}
            </p>
          )}
          <div class="actions">
            <button type="submit" class="button" aria-disabled={busy}>
              {t('save')}
            </button>
            {donation.status === 'COMPLETED' && (
              <button type="button" class="button button--quiet" onClick={() => void receipt()}>
                {t('record.receipt')}
              </button>
            )}
            {open && (
              <button type="button" class="button button--quiet" onClick={() => void shareLink()}>
                {t('record.link')}
              </button>
            )}
            {(donation.status === 'COMPLETED' || open) && left > 0 && (
              <button
                type="button"
                class="button button--quiet"
                onClick={() => void change('/undo', { method: 'POST' }, t('undone'))}
              >
                {t('undo', { minutes: left })}
              </button>
            )}
            <button type="button" class="button button--quiet" onClick={onClose}>
              {t('close')}
            </button>
          </div>
        </form>
      </div>
    </Dialog>
  );
}

const donorOf = ({ donorName, donorEmail, message, isAnonymous, isAmountHidden }: DonationDto): Donor => ({
  donorName: donorName ?? '',
  donorEmail: donorEmail ?? '',
  message: message ?? '',
  // A donation without a name is always anonymous. If the member adds a name now, the walls should show the name.
  isAnonymous: donorName !== null && isAnonymous,
  isAmountHidden: isAmountHidden ?? false,
});

const fieldsOf = ({ donorName, donorEmail, message, isAnonymous, isAmountHidden }: Donor) => ({
  donorName: trimmed(donorName) ?? null,
  donorEmail: trimmed(donorEmail) ?? null,
  message: trimmed(message) ?? null,
  isAnonymous: isAnonymous ?? false,
  isAmountHidden: isAmountHidden ?? false,
});

/** Gives a receipt to the browser as a download. The page does not store the receipt, because it contains donor data. */
function download(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
