import { useState } from 'preact/hooks';
import type { OpenedReceiptDto, SealedReceiptDto } from '../../../src/receipts/dto/sealed-receipt.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { Icon } from '../../desk/icons.js';
import { Failed, NotHere, Pill, Skeleton } from '../../desk/states.js';
import { calendarDay, money, t } from '../../desk/texts.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { useList } from '../api/query.js';
import { can } from '../me.js';
import { download } from './downloads.js';

const TONE = { valid: 'good', void: 'bad', replaced: 'warn' } as const;

/** The receipts of erased donors that the law demands to keep. Opening one is a deed in the audit log, so each is opened on request. */
export function SealedReceipts({ onClose }: { onClose: () => void }) {
  const list = useList<SealedReceiptDto>('/export/sealed-receipts');
  const isEmpty = list.rows.length === 0;
  return (
    <Dialog
      title={t('sealed.title')}
      look="sheet"
      onClose={onClose}
      actions={
        !isEmpty &&
        can('sealed-receipts:export') && (
          <button
            type="button"
            class="button button--quiet"
            onClick={() => void download('/export/sealed-receipts/csv', 'sealed-receipts.csv')}
          >
            <Icon name="download" size={16} /> {t('sealed.list')}
          </button>
        )
      }
    >
      <div class="stack">
        <p class="field__hint">{t('sealed.text')}</p>
        {list.error &&
          (isMissingRoute(list.error) ? <NotHere /> : <Failed error={list.error} retry={list.reload} />)}
        {list.loading && isEmpty && <Skeleton rows={4} />}
        {!list.loading && !list.error && isEmpty && <p>{t('sealed.none')}</p>}
        {!isEmpty && (
          <ul class="lines" aria-label={t('sealed.title')}>
            {list.rows.map((receipt) => (
              <Sealed key={receipt.number} receipt={receipt} />
            ))}
          </ul>
        )}
        {list.more && (
          <button
            type="button"
            class="button button--quiet"
            disabled={list.loadingMore}
            onClick={() => list.more?.()}
          >
            {t('action.showMoreRows')}
          </button>
        )}
      </div>
    </Dialog>
  );
}

function Sealed({ receipt }: { receipt: SealedReceiptDto }) {
  const { number, state, keepUntil, law } = receipt;
  const [opened, setOpened] = useState<OpenedReceiptDto>();
  const [error, setError] = useState<Error>();
  const open = () =>
    void api<OpenedReceiptDto>(`/export/sealed-receipts/${number}`).then(
      (content) => {
        setOpened(content);
        setError(undefined);
      },
      (failure: unknown) => setError(failure as Error),
    );
  return (
    <li class="lines__row">
      <div class="stack">
        <p>
          <strong class="number">{number}</strong>{' '}
          <Pill tone={TONE[state]}>{t(`sealed.state.${state}`)}</Pill>{' '}
          <span class="lines__meta">{t('sealed.until', { date: calendarDay(keepUntil), law })}</span>
        </p>
        {error && <Failed error={error} retry={open} />}
        {opened && (
          <p role="status">
            {[
              opened.donorName,
              ...(opened.donorAddress ?? '').split('\n'),
              ...opened.gifts.map(({ receivedOn, amount, currency }) =>
                t('sealed.gift', { amount: money(amount, currency), date: calendarDay(receivedOn) }),
              ),
            ].map((line, index) => (
              <>
                {index > 0 && <br />}
                {line}
              </>
            ))}
          </p>
        )}
        {can('sealed-receipts:read') && (
          <p class="panel__links">
            {!opened && (
              <button
                type="button"
                class="button button--quiet button--small"
                aria-label={t('sealed.openLabel', { number })}
                onClick={open}
              >
                {t('sealed.open')}
              </button>
            )}
            <button
              type="button"
              class="button button--quiet button--small"
              aria-label={t('sealed.copyLabel', { number })}
              onClick={() => void download(`/export/sealed-receipts/${number}/copy`, `receipt-${number}.pdf`)}
            >
              {t('sealed.copy')}
            </button>
          </p>
        )}
      </div>
    </li>
  );
}
