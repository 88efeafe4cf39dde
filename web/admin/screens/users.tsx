import { useState } from 'preact/hooks';
import type { InvitedUser, User, Users as UserList } from '../../../src/users/dto/user.dto.js';
import { Icon } from '../../desk/icons.js';
import { Failed, NotHere, Pill, Skeleton, type Tone } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { ago, t, word } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { isMissingRoute } from '../api/errors.js';
import { changed, useQuery } from '../api/query.js';
import { can, useMe } from '../me.js';
import { EditDialog } from '../parts/users/edit-dialog.js';
import { InviteDialog, LinkDialog } from '../parts/users/invite-dialog.js';
import { Ask, type Question } from '../parts/users/questions.js';
import { SessionsDialog } from '../parts/users/sessions-dialog.js';

const TONE: Readonly<Record<User['state'], Tone>> = { active: 'good', invited: 'warn', disabled: 'quiet' };

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
