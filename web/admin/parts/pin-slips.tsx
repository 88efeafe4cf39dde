import { useEffect, useState } from 'preact/hooks';
import type { StaffMember } from '../../../src/staff/dto/staff.dto.js';
import { t } from '../../desk/texts.js';
import { sayError } from '../../desk/toast.js';
import { model } from '../model.js';
import type { DeskEvent } from './events.js';
import { QrImage, type QrPath, qrPath } from './qr-code.js';

/** A member with the PIN; without one if the server cannot show it. */
export type PinOwner = Pick<StaffMember, 'id' | 'name'> & Partial<Pick<StaffMember, 'code'>>;

/**
 * PIN slips to cut apart, one for each member. The page prints the slips when they are drawn, then removes them. The QR code
 * opens the till at the event. It never contains the PIN, because a photo of it would then be enough to sign in.
 */
export function PinSlips({
  rows,
  event,
  onPrinted,
}: {
  rows: readonly PinOwner[];
  event: DeskEvent | undefined;
  onPrinted: () => void;
}) {
  const [code, setCode] = useState<QrPath>();
  const address = `${location.origin}/pos${event ? `?event=${encodeURIComponent(event.slug)}` : ''}`;
  useEffect(() => {
    qrPath(address).then(setCode, sayError);
  }, [address]);
  useEffect(() => {
    if (!code) return;
    addEventListener('afterprint', onPrinted, { once: true });
    print();
    return () => removeEventListener('afterprint', onPrinted);
  }, [code]);
  return (
    <section class="sheet" aria-hidden="true">
      <h2>
        {model.organization}
        {event && ` · ${event.name}`}
      </h2>
      <ul class="slips">
        {rows.map(({ id, name, code: pin }) => (
          <li key={id} class="slip">
            <span class="slip__words">
              <strong>{name}</strong>
              <span>{t('staff.pin')}</span>
              <span class="slip__pin">{pin ?? '–'}</span>
              <span>{address.replace(/^https?:\/\//, '')}</span>
            </span>
            <QrImage path={code} label={address} />
          </li>
        ))}
      </ul>
    </section>
  );
}
