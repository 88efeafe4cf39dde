import type { User } from '../../../../src/users/dto/user.dto.js';
import { ConfirmDialog } from '../../../desk/form-dialog.js';
import { t } from '../../../desk/texts.js';
import { say } from '../../../desk/toast.js';
import { api } from '../../api/client.js';
import { changed } from '../../api/query.js';

/** A change of an account that needs a confirmation. */
export type Question = 'remove' | 'disable' | 'unbind' | 'forget' | 'end';

const REQUESTS: Readonly<Record<Question, readonly ['DELETE' | 'PATCH', string, object?]>> = {
  remove: ['DELETE', ''],
  disable: ['PATCH', '', { disabled: true, expected: { disabled: false } }],
  unbind: ['DELETE', '/identity'],
  forget: ['DELETE', '/second-factor'],
  end: ['DELETE', '/sessions'],
};

/** Asks before the change, then sends the request. */
export function Ask({ question, user, onClose }: { question: Question; user: User; onClose: () => void }) {
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
