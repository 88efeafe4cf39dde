import type { GuestCardLinkDto } from '../../src/pledges/dto/card-charge.dto.js';
import { ApiError, ask } from './api.js';
import type { Session } from './sessions.js';
import { t } from './texts.js';

const QUIET = 4;

/** The code that a guest scans to save a card for pledges, or a note that no card can be saved now. */
export async function guestCard({ token }: Session, guestId: string) {
  try {
    const { url, hasCard } = await ask<GuestCardLinkDto>(`/guests/${guestId}/card`, { token });
    const { default: qr } = await import('qrcode');
    const { size, data } = qr.create(url, { errorCorrectionLevel: 'M' }).modules;
    let path = '';
    for (let row = 0; row < size; row++)
      for (let column = 0; column < size; column++)
        if (data[row * size + column]) path += `M${column + QUIET} ${row + QUIET}h1v1h-1z`;
    const whole = size + QUIET * 2;
    return (
      <div class="stack" data-card={url}>
        <p>{t(hasCard ? 'guests.cardSaved' : 'guests.cardScan')}</p>
        <svg
          viewBox={`0 0 ${whole} ${whole}`}
          width={240}
          height={240}
          role="img"
          aria-label={t('guests.card')}
        >
          <path d={`M0 0h${whole}v${whole}H0z`} fill="#fff" />
          <path d={path} fill="#000" shape-rendering="crispEdges" />
        </svg>
      </div>
    );
  } catch (error) {
    return (
      <p class="note note--warn" role="alert">
        {t(error instanceof ApiError ? 'guests.cardOff' : 'guests.cardOffline')}
      </p>
    );
  }
}
