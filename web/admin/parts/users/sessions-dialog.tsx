import type { OpenSessions } from '../../../../src/auth/dto/account.dto.js';
import type { User } from '../../../../src/users/dto/user.dto.js';
import { Dialog } from '../../../desk/dialog.js';
import { LongList } from '../../../desk/long-list.js';
import { Failed, Skeleton } from '../../../desk/states.js';
import { ago, t, tn } from '../../../desk/texts.js';
import { useQuery } from '../../api/query.js';

/** Lists the sign-ins of a user. */
export function SessionsDialog({
  user,
  onClose,
  onEnd,
}: {
  user: User;
  onClose: () => void;
  onEnd: () => void;
}) {
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
