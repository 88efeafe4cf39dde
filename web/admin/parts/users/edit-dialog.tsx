import { useState } from 'preact/hooks';
import type { User } from '../../../../src/users/dto/user.dto.js';
import { SelectField, TextField } from '../../../desk/fields.js';
import { FormDialog } from '../../../desk/form-dialog.js';
import { Icon } from '../../../desk/icons.js';
import { Menu } from '../../../desk/menu.js';
import { date, t } from '../../../desk/texts.js';
import { say } from '../../../desk/toast.js';
import { api } from '../../api/client.js';
import { changed } from '../../api/query.js';
import { useMe } from '../../me.js';
import { changeOf, ConflictNote, theirs, useConflict } from '../edit-conflict.js';
import { useForm } from '../form.js';
import type { Question } from './questions.js';
import { roleChoices } from './roles.js';

interface EditProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onAsk: (question: Question) => void;
  readonly onInvite: () => void;
  readonly onEnable: () => void;
  readonly onSessions: () => void;
}

/** Changes name and role of a user, and offers the other changes of the account. */
export function EditDialog({ user, onClose, onAsk, onInvite, onEnable, onSessions }: EditProps) {
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
          return form.saving(() => conflict.trying(() => save(withTheirs())));
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
      <SelectField label={t('user.role')} value={role} choices={roleChoices()} onValue={setRole} />
    </FormDialog>
  );
}
