import type { InvitedUser } from '../../../../src/users/dto/user.dto.js';
import { Dialog } from '../../../desk/dialog.js';
import { SelectField, TextField } from '../../../desk/fields.js';
import { FormDialog } from '../../../desk/form-dialog.js';
import { t } from '../../../desk/texts.js';
import { say } from '../../../desk/toast.js';
import { api } from '../../api/client.js';
import { changed } from '../../api/query.js';
import { useForm } from '../form.js';
import { MailOff } from '../mail-off.js';
import { type Role, roleChoices } from './roles.js';

/** Creates an account, whose owner sets the password with a link. */
export function InviteDialog({
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
      <SelectField label={t('user.role')} value={role} choices={roleChoices()} onValue={setRole} />
    </FormDialog>
  );
}

/** Shows the link that sets a password. */
export const LinkDialog = ({
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
