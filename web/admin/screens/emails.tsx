import type { EmailDto } from '../../../src/mail/dto/email.dto.js';
import { Empty, Failed, NotHere, Pill, Skeleton, type Tone } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { moment, t, word } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { once } from '../../kit/clicks.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, useList } from '../api/query.js';
import { MailOff } from '../parts/mail-off.js';
import { href, setQuery, usePlace } from '../router.js';

const STATES = ['queued', 'sent', 'failed', 'bounced'] as const;
const TONE: Readonly<Record<EmailDto['state'], Tone>> = {
  queued: 'warn',
  sent: 'good',
  failed: 'bad',
  bounced: 'bad',
};

/** Sent, waiting and returned e-mails. */
export function Emails() {
  const { query } = usePlace();
  const state = query.get('state');
  const list = useList<EmailDto>('/emails', { state });
  const again = async (id: string) => {
    try {
      await api(`/emails/${id}/retry`, { method: 'POST' });
      changed('/emails');
      say(t('email.again'));
    } catch (error) {
      sayError(error);
    }
  };
  const columns: Column<EmailDto>[] = [
    {
      key: 'kind',
      head: t('donation.kind'),
      width: '1.4fr',
      phone: 'title',
      cell: ({ kind, donationId }) =>
        donationId === null ? (
          <strong>{word('emailKind', kind)}</strong>
        ) : (
          <a href={href(`donations/${donationId}`)}>{word('emailKind', kind)}</a>
        ),
    },
    {
      key: 'state',
      head: t('event.state'),
      width: '8rem',
      phone: 'state',
      cell: ({ state: one }) => <Pill tone={TONE[one]}>{t(`refund.status.${one}`)}</Pill>,
    },
    {
      key: 'problem',
      head: t('email.answer'),
      width: '3fr',
      phone: 'note',
      cell: ({ lastError }) => <span title={lastError ?? ''}>{lastError ?? ''}</span>,
    },
    {
      key: 'when',
      head: t('donation.when'),
      width: '8rem',
      wide: true,
      cell: ({ sentAt, createdAt }) => moment(sentAt ?? createdAt),
    },
    {
      key: 'again',
      head: t('action.more'),
      width: '8rem',
      end: true,
      phone: 'amount',
      cell: ({ id, state: one }) =>
        one === 'sent' ? null : (
          <button type="button" class="linkbutton" onClick={once(() => again(id))}>
            {t('email.retry')}
          </button>
        ),
    },
  ];
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.emails')}</h1>
        <label class="filters__choice">
          <span class="visually-hidden">{t('event.state')}</span>
          <select
            class="input select"
            value={state ?? ''}
            onChange={({ currentTarget }) => setQuery({ state: currentTarget.value })}
          >
            <option value="">{t('filter.allStates')}</option>
            {STATES.map((one) => (
              <option key={one} value={one} selected={one === state}>
                {t(`refund.status.${one}`)}
              </option>
            ))}
          </select>
        </label>
      </header>
      <MailOff />
      {list.error &&
        (isMissingRoute(list.error) ? <NotHere /> : <Failed error={list.error} retry={list.reload} />)}
      {list.loading && list.rows.length === 0 && <Skeleton />}
      {!list.loading && !list.error && list.rows.length === 0 && (
        <Empty icon="emails" title={t('email.none')}>
          {t('email.noneText')}
        </Empty>
      )}
      {list.rows.length > 0 && (
        <DataTable
          label={t('nav.emails')}
          columns={columns}
          rows={list.rows}
          keyOf={({ id }) => id}
          more={list.more}
          loadingMore={list.loadingMore}
        />
      )}
    </>
  );
}
