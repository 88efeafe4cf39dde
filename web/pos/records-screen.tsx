import { useState } from 'preact/hooks';
import type { DonationDto } from '../../src/donations/dto/donation.dto.js';
import { DonationDialog } from './donation-dialog.jsx';
import { stateOf } from './last-record.jsx';
import { MendDialog } from './mend-dialog.jsx';
import { type Sum, useOwnRecords } from './own-records.js';
import { Icon, kindName } from './parts.jsx';
import type { Kind, QueuedRecord, SentRecord } from './records.js';
import type { Session } from './sessions.js';
import { counted, locale, t } from './texts.js';
import { till } from './till.js';
import { useValue } from './value.js';

/** Unsent records, and this member's records of the shift. */
export function RecordsScreen({ session }: { session: Session }) {
  const waiting = useValue(till.queue.waiting);
  const sent = useValue(till.queue.sent);
  const [paddle, setPaddle] = useState('');
  const { found, more, replace } = useOwnRecords(session, paddle);
  const [opened, open] = useState<{ donation: DonationDto } | { record: QueuedRecord }>();
  const isOwn = ({ owner, event }: QueuedRecord) =>
    owner.id === session.user.id && event.id === session.event.id;
  const own = waiting.filter(isOwn);
  const others = waiting.filter((record) => !isOwn(record));

  const close = () => open(undefined);
  const record =
    opened && 'record' in opened ? waiting.find(({ key }) => key === opened.record.key) : undefined;
  return (
    <div class="records">
      <h1 class="screen__title">{t('nav.records')}</h1>
      {own.length > 0 && (
        <section>
          <h2 class="part__title">{t('records.waiting')}</h2>
          <ul class="rows">
            {own.toReversed().map((one) => (
              <QueuedRow key={one.key} record={one} onOpen={() => open({ record: one })} />
            ))}
          </ul>
        </section>
      )}
      {others.length > 0 && (
        <section>
          <h2 class="part__title">{t('records.ofOthers')}</h2>
          <ul class="rows">
            {others.map((one) => (
              <QueuedRow key={one.key} record={one} hint={hintOf(one, session)} />
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2 class="part__title">{t('records.shift')}</h2>
        {found === undefined && <p class="soft records__note">{t('records.offline')}</p>}
        {found === undefined ? (
          <SentRows
            records={sent.filter(
              ({ ownerId, eventId }) => ownerId === session.user.id && eventId === session.event.id,
            )}
          />
        ) : (
          <>
            {(paddle !== '' || found.rows.some((one) => one.paddle !== null)) && (
              <label class="field">
                <span class="field__label">{t('paddles.number')}</span>
                <input
                  class="input"
                  type="search"
                  inputMode="numeric"
                  autoComplete="off"
                  maxLength={12}
                  value={paddle}
                  onInput={(event) => setPaddle(event.currentTarget.value.trim())}
                />
              </label>
            )}
            <DonationRows {...found} session={session} onOpen={(donation) => open({ donation })} />
            {found.cursor !== null && (
              <button
                type="button"
                class="button button--quiet"
                onClick={() => void more(found.cursor ?? '')}
              >
                {t('records.older')}
              </button>
            )}
          </>
        )}
      </section>
      {record && <MendDialog record={record} session={session} onClose={close} />}
      {opened && 'donation' in opened && (
        <DonationDialog
          donation={opened.donation}
          session={session}
          onClose={close}
          onChange={(changed) => {
            replace(changed);
            open({ donation: changed });
          }}
        />
      )}
    </div>
  );
}

const hintOf = ({ owner, event }: QueuedRecord, session: Session): string =>
  event.id === session.event.id
    ? t('records.waitsFor', { name: owner.name })
    : t('records.waitsAt', { event: event.name });

interface RowProps {
  readonly kind: Kind;
  readonly amount: string;
  readonly state: ReturnType<typeof stateOf> | ReturnType<typeof stateOfDonation>;
  readonly at: string;
  readonly details: readonly (string | undefined | false)[];
  readonly onOpen?: () => void;
  readonly id: string;
  readonly hint?: string;
}

function Row({ kind, amount, state, at, details, onOpen, id, hint }: RowProps) {
  const time = new Intl.DateTimeFormat(useValue(locale), { timeStyle: 'short' }).format(new Date(at));
  const content = (
    <>
      <Icon of={kind} />
      <span class="row__main">
        <strong class="row__amount number">{amount}</strong>
        <span class="row__details">{[time, kindName(kind), ...details].filter(Boolean).join(' · ')}</span>
        {hint && <span class="row__details">{hint}</span>}
      </span>
      <span class={`chip chip--${state}`}>{t(`state.${state}`)}</span>
    </>
  );
  return (
    <li class="row" data-id={id} data-state={state}>
      {onOpen ? (
        <button type="button" class="row__face" onClick={onOpen}>
          {content}
        </button>
      ) : (
        <div class="row__face">{content}</div>
      )}
    </li>
  );
}

function QueuedRow({ record, onOpen, hint }: { record: QueuedRecord; onOpen?: () => void; hint?: string }) {
  const { key, body, event, owner } = record;
  return (
    <Row
      id={key}
      kind={body.type}
      amount={till.money(body.amount, event)}
      state={stateOf(record, undefined)}
      at={body.recordedAt}
      details={[
        body.paddle !== undefined && t('paddle', { number: body.paddle }),
        hint !== undefined ? owner.name : body.donorName,
      ]}
      {...(onOpen && { onOpen })}
      {...(hint !== undefined && { hint })}
    />
  );
}

function SentRows({ records }: { records: readonly SentRecord[] }) {
  if (records.length === 0) return <p class="soft">{t('records.none')}</p>;
  return (
    <ul class="rows">
      {records.toReversed().map((one) => (
        <Row
          key={one.key}
          id={one.id}
          kind={one.type}
          amount={till.money(one.amount, one)}
          state={stateOf(undefined, one)}
          at={one.recordedAt}
          details={[one.paddle !== undefined && t('paddle', { number: one.paddle })]}
        />
      ))}
    </ul>
  );
}

/** Received money, then the pledges, which are not part of it. */
const sumText = ({ amount, pledged }: Sum, { event }: Session): string =>
  [
    (amount > 0 || pledged === 0) && till.money(amount, event),
    pledged > 0 && t('records.pledged', { sum: till.money(pledged, event) }),
  ]
    .filter(Boolean)
    .join(' · ');

interface DonationRowsProps {
  readonly rows: readonly DonationDto[];
  readonly sum: Sum | undefined;
  readonly session: Session;
  readonly onOpen: (donation: DonationDto) => void;
}

function DonationRows({ rows, sum, session, onOpen }: DonationRowsProps) {
  if (rows.length === 0) return <p class="soft">{t('records.none')}</p>;
  return (
    <>
      {sum && (
        <p class="records__sum number">
          {t(sum.withoutCash ? 'records.sumWithoutCash' : 'records.sum', {
            count: counted('count.records', sum.count),
            sum: sumText(sum, session),
          })}
        </p>
      )}
      <ul class="rows">
        {rows.map((donation) => (
          <Row
            key={donation.id}
            id={donation.id}
            kind={donation.type as Kind}
            amount={till.money(donation.amount, donation)}
            state={stateOfDonation(donation)}
            at={donation.recordedAt}
            details={[
              donation.paddle !== null && t('paddle', { number: donation.paddle }),
              donation.donorName ?? undefined,
            ]}
            onOpen={() => onOpen(donation)}
          />
        ))}
      </ul>
    </>
  );
}

/** State of a donation on the screen. A pledge paid by its link has the status CANCELLED, but must look paid here. */
const stateOfDonation = ({ status, paidBy }: DonationDto) => {
  if (paidBy !== null) return 'paidOnline' as const;
  if (status === 'PENDING') return 'pledged' as const;
  if (status === 'REFUNDED') return 'returned' as const;
  return status === 'CANCELLED' ? ('undone' as const) : ('recorded' as const);
};
