import { useState } from 'preact/hooks';
import type { OpenSessions } from '../../../src/auth/dto/account.dto.js';
import type { InvitedUser, User, Users as UserList } from '../../../src/users/dto/user.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { SelectField, TextField } from '../../desk/fields.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { LongList } from '../../desk/long-list.js';
import { Icon } from '../../desk/icons.js';
import { Menu } from '../../desk/menu.js';
import { Failed, NotHere, Pill, Skeleton, type Tone } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { ago, date, t, tn, word } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, useQuery } from '../api/query.js';
import { can, useMe } from '../me.js';
import { changeOf, ConflictNote, theirs, useConflict } from '../parts/edit-conflict.js';
import { MailOff } from '../parts/mail-off.js';
import { useForm } from '../parts/form.js';

const ROLES = ['ADMIN', 'ACCOUNTANT'] as const;
type Role = (typeof ROLES)[number];
const TONE: Readonly<Record<User['state'], Tone>> = { active: 'good', invited: 'warn', disabled: 'quiet' };

type Question = 'remove' | 'disable' | 'unbind' | 'forget' | 'end';
type Open =
  | { readonly kind: 'invite' }
  | { readonly kind: 'link'; readonly url: string; readonly email: string; readonly emailed: boolean }
  | { readonly kind: 'edit' | 'sessions'; readonly user: User }
  | { readonly kind: 'ask'; readonly question: Question; readonly user: User }
  | undefined;

/** Users of the dashboard. */
export function Users() {
  const who = useMe();
  const { data, error, reload } = useQuery<UserList>('/users');
  const [open, setOpen] = useState<Open>();
  const rows = data?.data ?? [];
  const close = () => setOpen(undefined);
  const invite = async (user: User) => {
    try {
      const answer = await api<InvitedUser>(`/users/${user.id}/invite`, {
        method: 'POST',
      });
      changed('/users');
      setOpen({ kind: 'link', url: answer.inviteUrl, email: user.email, emailed: answer.emailed });
    } catch (failure) {
      sayError(failure);
    }
  };
  const enable = async (user: User) => {
    try {
      await api(`/users/${user.id}`, {
        method: 'PATCH',
        body: { disabled: false, expected: { disabled: true } },
      });
      changed('/users');
      say(t('state.saved'));
    } catch (failure) {
      sayError(failure);
    }
  };
  const columns: Column<User>[] = [
    {
      key: 'who',
      head: t('user.one'),
      width: '2fr',
      phone: 'title',
      cell: (user) => (
        <>
          <strong>{user.name ?? user.email}</strong>
          {user.name !== null && <span class="cell__sub"> · {user.email}</span>}
          {user.id === who?.user.id && <span class="cell__sub"> · {t('user.you')}</span>}
        </>
      ),
    },
    {
      key: 'role',
      head: t('user.role'),
      width: '1.8fr',
      phone: 'note',
      cell: ({ role }) => word('role', role),
    },
    {
      key: 'state',
      head: t('event.state'),
      width: '8rem',
      phone: 'state',
      cell: ({ state }) => <Pill tone={TONE[state]}>{t(`user.state.${state}`)}</Pill>,
    },
    {
      key: 'factor',
      head: t('factor.title'),
      width: '8rem',
      wide: true,
      cell: ({ secondFactor, identity }) =>
        identity ? t('user.byIdp') : secondFactor ? t('state.on') : t('state.off'),
    },
    {
      key: 'last',
      head: t('user.last'),
      width: '9rem',
      wide: true,
      cell: ({ lastSignInAt }) => (lastSignInAt === null ? t('user.never') : ago(lastSignInAt)),
    },
    {
      key: 'actions',
      head: t('action.edit'),
      width: '5rem',
      end: true,
      phone: 'amount',
      cell: (user) => (
        <button
          type="button"
          class="linkbutton"
          aria-label={t('staff.edit', { name: user.name ?? user.email })}
          onClick={() => setOpen({ kind: 'edit', user })}
        >
          {t('action.edit')}
        </button>
      ),
    },
  ];
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.users')}</h1>
        {can('users:invite') && (
          <div class="page__actions">
            <button type="button" class="button" onClick={() => setOpen({ kind: 'invite' })}>
              <Icon name="plus" size={16} /> {t('user.invite')}
            </button>
          </div>
        )}
      </header>
      <p class="lead">{t('user.lead')}</p>
      {error && (isMissingRoute(error) ? <NotHere /> : <Failed error={error} retry={reload} />)}
      {!data && !error && <Skeleton />}
      {rows.length > 0 && (
        <DataTable
          label={t('nav.users')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          total={rows.length}
        />
      )}
      {open?.kind === 'invite' && (
        <InviteDialog
          onClose={close}
          onInvited={(url, email, emailed) => setOpen({ kind: 'link', url, email, emailed })}
        />
      )}
      {open?.kind === 'link' && <LinkDialog {...open} onClose={close} />}
      {open?.kind === 'edit' && (
        <EditDialog
          user={open.user}
          onClose={close}
          onAsk={(question) => setOpen({ kind: 'ask', question, user: open.user })}
          onInvite={() => void invite(open.user)}
          onEnable={() => void enable(open.user).then(close)}
          onSessions={() => setOpen({ kind: 'sessions', user: open.user })}
        />
      )}
      {open?.kind === 'sessions' && (
        <SessionsDialog
          user={open.user}
          onClose={close}
          onEnd={() => setOpen({ kind: 'ask', question: 'end', user: open.user })}
        />
      )}
      {open?.kind === 'ask' && <Ask question={open.question} user={open.user} onClose={close} />}
    </>
  );
}

const REQUESTS: Readonly<Record<Question, readonly ['DELETE' | 'PATCH', string, object?]>> = {
  remove: ['DELETE', ''],
  disable: ['PATCH', '', { disabled: true, expected: { disabled: false } }],
  unbind: ['DELETE', '/identity'],
  forget: ['DELETE', '/second-factor'],
  end: ['DELETE', '/sessions'],
};

function Ask({ question, user, onClose }: { question: Question; user: User; onClose: () => void }) {
  const name = user.name ?? user.email;
  const [method, path, body] = REQUESTS[question];
  return (
    <ConfirmDialog
      title={t(`user.ask.${question}`, { name })}
      confirm={t(`user.do.${question}`)}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await api(`/users/${user.id}${path}`, { method, ...(body && { body }) });
        changed('/users');
        say(t('state.done'));
      }}
    >
      <p>{t(`user.why.${question}`)}</p>
    </ConfirmDialog>
  );
}

function InviteDialog({
  onClose,
  onInvited,
}: {
  onClose: () => void;
  onInvited: (url: string, email: string, emailed: boolean) => void;
}) {
  const form = useForm<{ email: string; name: string; role: Role }>('user.invite', t('user.invite'), {
    email: '',
    name: '',
    role: 'ADMIN',
  });
  const [email, setEmail] = form.field('email');
  const [name, setName] = form.field('name');
  const [role, setRole] = form.field('role');
  const save = async () => {
    const body = { email: email.trim(), role, ...(name.trim() !== '' && { name }) };
    const answer = await api<InvitedUser>('/users', { method: 'POST', body });
    changed('/users');
    onInvited(answer.inviteUrl, email, answer.emailed);
  };
  return (
    <FormDialog
      form={form}
      title={t('user.invite')}
      submit={t('user.invite')}
      onSave={save}
      onClose={onClose}
    >
      <MailOff text="mail.offInvite" />
      <TextField
        label={t('field.email')}
        type="email"
        value={email}
        error={form.error('email')}
        onValue={setEmail}
        required
        autoFocus
      />
      <TextField label={t('donor.name')} value={name} maxLength={200} onValue={setName} optional />
      <SelectField
        label={t('user.role')}
        value={role}
        choices={ROLES.map((value) => ({ value, label: word('role', value) }))}
        onValue={setRole}
      />
    </FormDialog>
  );
}

const LinkDialog = ({
  url,
  email,
  emailed,
  onClose,
}: {
  url: string;
  email: string;
  emailed: boolean;
  onClose: () => void;
}) => (
  <Dialog
    title={t('user.invited', { email })}
    onClose={onClose}
    actions={
      <button
        type="button"
        class="button"
        onClick={() => void navigator.clipboard.writeText(url).then(() => say(t('action.copied')))}
      >
        {t('action.copy')}
      </button>
    }
  >
    <div class="stack">
      <p>{emailed ? t('user.linkEmailed') : t('user.link')}</p>
      <p class="note mono">{url}</p>
    </div>
  </Dialog>
);

interface EditProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onAsk: (question: Question) => void;
  readonly onInvite: () => void;
  readonly onEnable: () => void;
  readonly onSessions: () => void;
}

function EditDialog({ user, onClose, onAsk, onInvite, onEnable, onSessions }: EditProps) {
  // Users change their own password and second factor under "Your account".
  const own = useMe()?.user.id === user.id;
  const [read, setRead] = useState({ name: user.name ?? '', role: user.role });
  const form = useForm(`user.${user.id}`, user.name ?? user.email, read, (was) =>
    setRead((before) => ({ ...before, ...was })),
  );
  const [name, setName] = form.field('name');
  const [role, setRole] = form.field('role');
  const conflict = useConflict();
  const save = async (from = read) => {
    const { changes, expected } = changeOf(from, { name: name.trim(), role });
    if (Object.keys(changes).length === 0) {
      onClose();
      return;
    }
    await api(`/users/${user.id}`, {
      method: 'PATCH',
      body: { ...changes, expected: { ...expected, ...(expected.name === '' && { name: null }) } },
    });
    changed('/users');
    say(t('state.saved'));
    onClose();
  };
  const withTheirs = () => {
    const known = { ...read, ...theirs<typeof read>(conflict.fields) };
    // The server stores null for a user without a name, but the form uses an empty text.
    return { ...known, name: (known.name as string | null) ?? '' };
  };
  return (
    <FormDialog
      form={form}
      title={user.name ?? user.email}
      subtitle={`${user.email} · ${t('sessions.since', { date: date(user.createdAt) })}`}
      submit={t('action.save')}
      onSave={() => conflict.trying(() => save())}
      onClose={onClose}
      more={
        <Menu
          label={t('action.more')}
          class="button button--quiet button--icon"
          up
          items={[
            { label: t('user.sessions'), onSelect: onSessions },
            !own && { label: t('user.linkAgain'), onSelect: onInvite },
            !own && user.secondFactor && { label: t('user.do.forget'), onSelect: () => onAsk('forget') },
            user.identity !== null && { label: t('user.do.unbind'), onSelect: () => onAsk('unbind') },
            user.state === 'disabled'
              ? { label: t('user.enable'), onSelect: onEnable }
              : { label: t('user.do.disable'), danger: true, onSelect: () => onAsk('disable') },
            { label: t('user.do.remove'), danger: true, onSelect: () => onAsk('remove') },
          ]}
        >
          <Icon name="more" />
        </Menu>
      }
    >
      <ConflictNote
        fields={conflict.fields}
        currency=""
        onMine={() => {
          setRead(withTheirs());
          return conflict.trying(() => save(withTheirs()));
        }}
        onTheirs={() => {
          const known = withTheirs();
          setRead(known);
          setName(known.name);
          setRole(known.role);
          conflict.clear();
        }}
      />
      <TextField label={t('donor.name')} value={name} maxLength={200} onValue={setName} autoFocus optional />
      <SelectField
        label={t('user.role')}
        value={role}
        choices={ROLES.map((value) => ({ value, label: word('role', value) }))}
        onValue={setRole}
      />
    </FormDialog>
  );
}

function SessionsDialog({ user, onClose, onEnd }: { user: User; onClose: () => void; onEnd: () => void }) {
  const { data, error, reload } = useQuery<OpenSessions>(`/users/${user.id}/sessions`);
  const rows = data?.data ?? [];
  return (
    <Dialog
      title={t('user.sessionsOf', { name: user.name ?? user.email })}
      onClose={onClose}
      actions={
        rows.length > 0 && (
          <button type="button" class="button button--danger" onClick={onEnd}>
            {t('user.do.end')}
          </button>
        )
      }
    >
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={3} />}
      {data && <p class="field__hint">{tn('user.sessionCount', rows.length)}</p>}
      <LongList rows={rows}>
        {(one) => (
          <li key={one.id} class="lines__row">
            <span>
              {one.client ?? t('sessions.unknown')}
              <span class="lines__meta"> · {one.address ?? ''}</span>
            </span>
            <span class="lines__meta">{ago(one.lastUsedAt)}</span>
          </li>
        )}
      </LongList>
    </Dialog>
  );
}
