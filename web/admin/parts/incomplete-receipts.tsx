import type { AskedDonorsDto } from '../../../src/donors/dto/asked-donors.dto.js';
import type {
  EndingSettingDto,
  IncompleteReceiptsDto,
} from '../../../src/receipts/dto/incomplete-receipts.dto.js';
import { calendarDay, number, t, tn } from '../../desk/texts.js';
import { Problem, useSending } from '../../desk/sending.js';
import { say } from '../../desk/toast.js';
import { once } from '../../kit/clicks.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { href } from '../router.js';
import type { DeskEvent } from './events.js';
import { MailOff } from './mail-off.js';
import { fieldName } from './field-names.js';
import { usePacks } from './receipt-packs.js';

/** The fields that the receipts of an event lack for the tax office. Nothing without a pack, and while the answer is not known. */
export function IncompleteReceipts({ event }: { event: DeskEvent }) {
  const path = can('receipts:export') ? `/export/receipts/incomplete?eventId=${event.id}` : null;
  const { data } = useQuery<IncompleteReceiptsDto>(path);
  usePacks();
  if (!data || data.pack === 'none') return null;
  // A server of an older release does not know when settings end.
  const { ending = [] } = data as Partial<IncompleteReceiptsDto>;
  const lacksAddress = data.fields.some(({ field }) => field === 'donorAddress');
  return (
    <section class="panel stack" aria-labelledby="tax-receipts">
      <h2 class="panel__title" id="tax-receipts">
        {t('settings.taxReceipts')}
      </h2>
      {!data.reviewed && <p class="note">{t('settings.pack.notReviewed')}</p>}
      {ending.map(({ field, until }) => (
        <EndingSetting key={field} field={field} until={until} />
      ))}
      {data.incomplete === 0 ? (
        <p class="field__hint">{t('receipts.complete')}</p>
      ) : (
        <>
          <p>{tn('receipts.incomplete', data.incomplete)}</p>
          <ul class="lines">
            {data.fields.map(({ field, rule, donors }) => (
              <li key={`${field} ${rule}`} class="lines__row">
                <span>
                  {fieldName(field)}: {t(`receipts.rule.${rule}`)}
                </span>
                <span class="lines__meta number">{tn('donor.count', donors)}</span>
              </li>
            ))}
          </ul>
          {lacksAddress && can('emails:send') && <AskForAddresses event={event} />}
          <p class="field__hint">{t('receipts.incompleteHint')}</p>
          <ul class="lines">
            {data.donations.slice(0, NAMED).map(({ donationId, donorName }) => (
              <li key={donationId} class="lines__row">
                <a href={href(`donations/${donationId}`)}>{donorName ?? t('donor.unnamed')}</a>
              </li>
            ))}
          </ul>
          {data.incomplete > NAMED && (
            <p class="field__hint">{t('receipts.more', { count: number(data.incomplete - NAMED) })}</p>
          )}
        </>
      )}
    </section>
  );
}

/** Asks the donors without an address by e-mail. A donor gets the e-mail at most once in seven days. */
function AskForAddresses({ event }: { event: DeskEvent }) {
  const { busy, problem, send } = useSending();
  const ask = () =>
    send(async () => {
      const body = { eventId: event.id };
      const { asked, askedBefore } = await api<AskedDonorsDto>('/donors/missing-addresses', {
        method: 'POST',
        body,
      });
      const before = askedBefore > 0 ? ` ${tn('receipts.askedBefore', askedBefore)}` : '';
      say(`${tn('receipts.asked', asked)}${before}`);
      changed('/emails');
    });
  return (
    <div class="stack">
      <MailOff />
      <p class="field__hint">{t('receipts.askAddressHint')}</p>
      <p class="panel__links">
        <button type="button" class="button button--quiet" disabled={busy} onClick={once(ask)}>
          {t('receipts.askAddress')}
        </button>
      </p>
      <Problem text={problem} />
    </div>
  );
}

/** Number of donations that are shown by name. The manifest of the ZIP lists all. */
const NAMED = 10;

/** Warns that a setting counts until a day only, such as the notice of the tax office. */
export const EndingSetting = ({ field, until }: EndingSettingDto) => (
  <p class="note note--warn">{t('receipts.ending', { field: fieldName(field), date: calendarDay(until) })}</p>
);
