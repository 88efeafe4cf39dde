import { useState } from 'preact/hooks';
import type { GuestList } from '../../../src/guests/dto/guest-list.dto.js';
import type { DeletedGuest, GuestDto } from '../../../src/guests/dto/guest.dto.js';
import { CheckField, TextField } from '../../desk/fields.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { Problem, useSending } from '../../desk/sending.js';
import { t, time } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api, queryOf } from '../api/client.js';
import { ApiError } from '../api/errors.js';
import { changed } from '../api/query.js';
import { changeOf, ConflictNote, theirs, useConflict } from './edit-conflict.js';
import type { DeskEvent } from './events.js';
import { GuestCard } from './guest-card.js';
import { type Form, useForm } from './form.js';

const TEXTS = ['name', 'email', 'phone', 'table', 'seat', 'paddle', 'party', 'note'] as const;
interface Fields extends Record<(typeof TEXTS)[number], string> {
  isVip: boolean;
  needsHelp: boolean;
}

const fieldsOf = (guest: GuestDto | undefined): Fields => ({
  ...(Object.fromEntries(TEXTS.map((field) => [field, guest?.[field] ?? ''])) as Record<
    (typeof TEXTS)[number],
    string
  >),
  isVip: guest?.isVip ?? false,
  needsHelp: guest?.needsHelp ?? false,
});

/** In the API, an empty field is null. */
const sent = (fields: Partial<Fields>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === '' ? null : value]));

/** Adds or changes a guest. If another guest has the paddle, the dialog offers to share it. */
export function GuestDialog({
  event,
  guest,
  onClose,
}: {
  event: DeskEvent;
  guest: GuestDto | undefined;
  onClose: () => void;
}) {
  const [read, setRead] = useState(() => fieldsOf(guest));
  const title = guest?.name ?? t('guest.add');
  const form = useForm(`guest.${event.id}.${guest?.id ?? 'new'}`, title, read, (was) =>
    setRead((before) => ({ ...before, ...was })),
  );
  const conflict = useConflict();
  const sharing = useSending();
  const [holder, setHolder] = useState<GuestDto>();
  const [asked, setAsked] = useState<'delete' | 'undo' | 'card'>();
  const now = Object.fromEntries(
    [...TEXTS, 'isVip' as const, 'needsHelp' as const].map((name) => [name, form.field(name)[0]]),
  ) as unknown as Fields;

  const write = async (fields: object) => {
    await (guest
      ? api(`/guests/${guest.id}`, { method: 'PATCH', body: fields })
      : api(`/events/${event.id}/guests`, { method: 'POST', body: fields }));
    changed(`/events/${event.id}/guests`);
    say(t('state.saved'));
    onClose();
  };
  const save = (known: Fields, sharesPaddleWith?: string) =>
    conflict.trying(async () => {
      const { changes, expected } = changeOf<Fields>(known, now);
      const fields = guest ? { ...sent(changes), expected: sent(expected) } : sent(now);
      const paddle = sharesPaddleWith === undefined ? {} : { paddle: undefined, sharesPaddleWith };
      try {
        await write({ ...fields, ...paddle });
      } catch (error) {
        if (error instanceof ApiError && error.code === 'PADDLE_TAKEN')
          setHolder(await guestWithPaddle(event, now.paddle));
        throw error;
      }
    });
  const take = () => {
    const values: Readonly<Record<string, unknown>> = theirs<Fields>(conflict.fields);
    const fresh = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? '']));
    const known = { ...read, ...fresh };
    setRead(known);
    return known;
  };
  if (asked === 'card' && guest) return <GuestCard guest={guest} onClose={() => setAsked(undefined)} />;
  if (asked && asked !== 'card' && guest)
    return <Asked what={asked} guest={guest} event={event} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={title}
      subtitle={guest?.checkedInAt && subtitleOf(guest.checkedInAt, guest.checkedInBy)}
      submit={guest ? t('action.save') : t('guest.add')}
      onClose={onClose}
      onSave={() => save(read)}
      more={
        guest && (
          <>
            <button type="button" class="button button--quiet button--bad" onClick={() => setAsked('delete')}>
              {t('guest.delete')}
            </button>
            {guest.paddle !== null && (
              <button type="button" class="button button--quiet" onClick={() => setAsked('card')}>
                {t('cards.guest')}
              </button>
            )}
            {guest.checkedInAt !== null && (
              <button type="button" class="button button--quiet" onClick={() => setAsked('undo')}>
                {t('guest.undoCheckIn')}
              </button>
            )}
          </>
        )
      }
    >
      <ConflictNote
        fields={conflict.fields}
        currency=""
        onMine={() => save(take())}
        onTheirs={() => {
          const known = take();
          form.set(
            Object.fromEntries(conflict.fields.map(({ field }) => [field, known[field as keyof Fields]])),
          );
          conflict.clear();
        }}
      />
      {holder && (
        <p class="note">
          {t('guest.paddleOf', { paddle: holder.paddle ?? '', name: holder.name })}{' '}
          <button
            type="button"
            class="button button--quiet button--small"
            disabled={sharing.busy}
            onClick={() => void sharing.send(() => form.saving(() => save(read, holder.id)))}
          >
            {t('guest.sharePaddle')}
          </button>
        </p>
      )}
      <Problem text={sharing.problem} />
      {guest?.contestedPaddle && (
        <p class="note note--warn">{t('guest.contestedText', { paddle: guest.contestedPaddle })}</p>
      )}
      <GuestFields form={form} shared={guest?.sharesPaddleWith !== null && guest !== undefined} />
    </FormDialog>
  );
}

const subtitleOf = (at: string, by: string | null): string =>
  [t('guest.hereSince', { time: time(at) }), by].filter(Boolean).join(' · ');

async function guestWithPaddle({ id }: DeskEvent, paddle: string): Promise<GuestDto | undefined> {
  const { data } = await api<GuestList>(`/events/${id}/guests${queryOf({ search: paddle })}`);
  return data.find((one) => one.paddle === paddle && one.sharesPaddleWith === null);
}

const LENGTHS: Readonly<Record<(typeof TEXTS)[number], number>> = {
  name: 200,
  email: 254,
  phone: 40,
  table: 40,
  seat: 20,
  paddle: 12,
  party: 100,
  note: 200,
};

function GuestFields({ form, shared }: { form: Form<Fields>; shared: boolean }) {
  const text = (name: (typeof TEXTS)[number]) => {
    const [value, setValue] = form.field(name);
    return {
      value,
      onValue: setValue,
      error: form.error(name),
      maxLength: LENGTHS[name],
    };
  };
  const [isVip, setVip] = form.field('isVip');
  const [needsHelp, setNeedsHelp] = form.field('needsHelp');
  return (
    <>
      <TextField label={t('donor.name')} {...text('name')} required autoFocus />
      <div class="pair">
        <TextField label={t('field.email')} type="email" {...text('email')} optional />
        <TextField label={t('guest.field.phone')} {...text('phone')} optional />
      </div>
      <div class="pair">
        <TextField label={t('guest.field.table')} {...text('table')} optional />
        <TextField label={t('guest.field.seat')} {...text('seat')} optional />
      </div>
      <div class="pair">
        <TextField
          label={t('donation.paddle')}
          {...(shared ? { hint: t('guest.shared') } : {})}
          {...text('paddle')}
          optional
        />
        <TextField label={t('guest.field.party')} hint={t('guest.partyHint')} {...text('party')} optional />
      </div>
      <TextField label={t('donation.note')} hint={t('guest.noteHint')} rows={2} {...text('note')} optional />
      <CheckField label={t('guest.field.isVip')} checked={isVip} onChecked={setVip} />
      <CheckField label={t('guest.field.needsHelp')} checked={needsHelp} onChecked={setNeedsHelp} />
    </>
  );
}

/** Asks before a guest is deleted or a check-in is removed. */
function Asked({
  what,
  guest,
  event,
  onClose,
}: {
  what: 'delete' | 'undo';
  guest: GuestDto;
  event: DeskEvent;
  onClose: () => void;
}) {
  const isDelete = what === 'delete';
  return (
    <ConfirmDialog
      title={t(isDelete ? 'guest.deleteTitle' : 'guest.undoTitle', { name: guest.name })}
      confirm={t(isDelete ? 'guest.delete' : 'guest.undoCheckIn')}
      danger={isDelete}
      onClose={onClose}
      onConfirm={async () => {
        const path = isDelete ? `/guests/${guest.id}` : `/guests/${guest.id}/check-in`;
        await api<DeletedGuest | GuestDto>(path, { method: 'DELETE' });
        changed(`/events/${event.id}/guests`);
        say(t('state.done'));
      }}
    >
      <p>{t(isDelete ? 'guest.deleteText' : 'guest.undoText')}</p>
    </ConfirmDialog>
  );
}
