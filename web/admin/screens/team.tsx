import { useState } from 'preact/hooks';
import type { AssignedStaff, StaffMember } from '../../../src/staff/dto/staff.dto.js';
import { Dialog } from '../../desk/dialog.js';
import { CheckField, SearchBox, TextField } from '../../desk/fields.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { Icon } from '../../desk/icons.js';
import { Menu } from '../../desk/menu.js';
import { Empty, Failed, Skeleton } from '../../desk/states.js';
import { type Column, DataTable } from '../../desk/table.js';
import { date, t } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { ConflictNote, theirs, useConflict } from '../parts/edit-conflict.js';
import { type DeskEvent, useEventNamed } from '../parts/events.js';
import { useForm } from '../parts/form.js';
import { ManyMembers } from '../parts/many-members.js';
import { type PinOwner, PinSlips } from '../parts/pin-slips.js';
import { setQuery, usePlace } from '../router.js';

type Open =
  | { readonly kind: 'add' | 'many' }
  | { readonly kind: 'edit' | 'remove'; readonly member: AssignedStaff }
  | undefined;

/** The team, and its PINs to show, print or replace. */
export function Team() {
  const { query } = usePlace();
  const { data, error, reload } = useQuery<readonly AssignedStaff[]>('/staff?pins=false');
  const { events, event, loading: seeksEvent } = useEventNamed(query.get('event'));
  const atEvent = useQuery<readonly AssignedStaff[]>(event ? `/events/${event.id}/staff?pins=false` : null);
  const [open, setOpen] = useState<Open>();
  const pins = usePins();
  const [slips, setSlips] = useState<{
    readonly rows: readonly PinOwner[];
    readonly event: DeskEvent | undefined;
  }>();
  const [search, setSearch] = useState('');
  const here = event && new Set((atEvent.data ?? []).map(({ id }) => id));
  const isRead = data !== undefined && !seeksEvent && (!event || atEvent.data !== undefined);
  const wanted = search.trim().toLowerCase();
  const rows = (isRead ? data : []).filter(
    ({ id, name }) => (!here || here.has(id)) && name.toLowerCase().includes(wanted),
  );
  const close = () => setOpen(undefined);
  /** Prints the PINs of new members. The dialog closes, because a browser prints an open dialog too. */
  const print = (made: readonly PinOwner[], at: DeskEvent | undefined) => {
    close();
    setSlips({ rows: made, event: at });
  };
  const printPins = async () => {
    try {
      const all = await api<readonly AssignedStaff[]>(event ? `/events/${event.id}/staff` : '/staff');
      const wantedIds = new Set(rows.map(({ id }) => id));
      setSlips({ rows: all.filter(({ id }) => wantedIds.has(id)), event });
    } catch (failure) {
      sayError(failure);
    }
  };
  const columns: Column<AssignedStaff>[] = [
    {
      key: 'name',
      head: t('donor.name'),
      width: '2fr',
      phone: 'title',
      cell: ({ name }) => <strong>{name}</strong>,
    },
    {
      key: 'pin',
      head: t('staff.pin'),
      width: '12rem',
      phone: 'note',
      cell: ({ id, name }) => {
        const code = pins.of(id);
        if (code === null) return t('staff.pinSealed');
        const isShown = code !== undefined;
        return (
          <>
            <span class="mono">{code ?? '••••••'}</span>{' '}
            <button
              type="button"
              class="linkbutton"
              aria-label={t(isShown ? 'staff.hidePin' : 'staff.showPin', { name })}
              onClick={() => (isShown ? pins.hide(id) : void pins.show(id))}
            >
              {t(isShown ? 'staff.hide' : 'staff.show')}
            </button>
          </>
        );
      },
    },
    {
      key: 'since',
      head: t('staff.since'),
      width: '9rem',
      wide: true,
      cell: ({ createdAt }) => date(createdAt),
    },
    {
      key: 'actions',
      head: t('action.edit'),
      width: '6rem',
      end: true,
      phone: 'amount',
      cell: (member) => (
        <button
          type="button"
          class="linkbutton"
          aria-label={t('staff.edit', { name: member.name })}
          onClick={() => setOpen({ kind: 'edit', member })}
        >
          {t('action.edit')}
        </button>
      ),
    },
  ];
  return (
    <>
      <header class="page__head">
        <h1 class="page__name">{t('nav.team')}</h1>
        <div class="page__actions">
          {rows.length > 0 && (
            <button type="button" class="button button--quiet" onClick={() => void printPins()}>
              <Icon name="print" size={16} /> {t('staff.print')}
            </button>
          )}
          {can('staff:create') && (
            <button
              type="button"
              class="button button--quiet"
              disabled={data === undefined}
              onClick={() => setOpen({ kind: 'many' })}
            >
              {t('staff.addMany')}
            </button>
          )}
          {can('staff:create') && (
            <button type="button" class="button" onClick={() => setOpen({ kind: 'add' })}>
              <Icon name="plus" size={16} /> {t('staff.add')}
            </button>
          )}
          {can('staff:unlock') && (
            <Menu
              label={t('action.more')}
              class="button button--quiet button--icon"
              items={[{ label: t('staff.unlock'), onSelect: () => void unlock() }]}
            >
              <Icon name="more" />
            </Menu>
          )}
        </div>
      </header>
      <div class="filters">
        <SearchBox label={t('staff.search')} value={search} onValue={(value) => setSearch(value)} />
        <label class="filters__choice">
          <span class="visually-hidden">{t('event.one')}</span>
          <select
            class="input select"
            value={event?.slug ?? ''}
            onChange={({ currentTarget }) => setQuery({ event: currentTarget.value })}
          >
            <option value="">{t('filter.allEvents')}</option>
            {events.map((one) => (
              <option key={one.id} value={one.slug} selected={one.slug === event?.slug}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error && <Failed error={error} retry={reload} />}
      {!isRead && !error && <Skeleton />}
      {isRead && rows.length === 0 && (
        <Empty
          icon="team"
          title={data.length === 0 ? t('staff.none') : event ? t('team.noneHere') : t('state.noMatch')}
        >
          {t('staff.noneText')}
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t('nav.team')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          total={rows.length}
        />
      )}
      {slips && <PinSlips {...slips} onPrinted={() => setSlips(undefined)} />}
      {open?.kind === 'many' && data && (
        <ManyMembers
          team={data.map(({ name }) => name)}
          target={event ?? events.find(({ status }) => status === 'active')}
          onPrint={print}
          onClose={close}
        />
      )}
      {open?.kind === 'add' && <MemberDialog event={event} events={events} onPrint={print} onClose={close} />}
      {open?.kind === 'edit' && (
        <MemberDialog
          member={open.member}
          event={undefined}
          events={events}
          onClose={close}
          onRemove={() => setOpen({ kind: 'remove', member: open.member })}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmDialog
          title={t('staff.removeTitle', { name: open.member.name })}
          confirm={t('staff.remove')}
          danger
          onClose={close}
          onConfirm={async () => {
            await api(`/staff/${open.member.id}`, { method: 'DELETE' });
            changed('/staff', '/events');
            say(t('staff.removed', { name: open.member.name }));
          }}
        >
          <p>{t('staff.removeText')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Loads and keeps shown PINs. Each PIN has its own request, because the audit log records each view. */
function usePins() {
  const [shown, setShown] = useState<Readonly<Record<string, string | null>>>({});
  return {
    /** The PIN of a member: undefined while hidden, null if the server cannot show it and it must be replaced. */
    of: (id: string): string | null | undefined => shown[id],
    show: async (id: string) => {
      try {
        const { code } = await api<StaffMember>(`/staff/${id}`);
        setShown((before) => ({ ...before, [id]: code }));
      } catch (error) {
        sayError(error);
      }
    },
    hide: (id: string) => setShown(({ [id]: _hidden, ...others }) => others),
  };
}

async function unlock(): Promise<void> {
  try {
    await api('/auth/staff/unlock', { method: 'POST' });
    say(t('staff.unlocked'));
  } catch (error) {
    sayError(error);
  }
}

interface MemberProps {
  readonly member?: AssignedStaff;
  readonly event: DeskEvent | undefined;
  readonly events: readonly DeskEvent[];
  readonly onClose: () => void;
  readonly onPrint?: (made: readonly PinOwner[], event: DeskEvent | undefined) => void;
  readonly onRemove?: () => void;
}

function MemberDialog({ member, event, events, onClose, onPrint, onRemove }: MemberProps) {
  const title = member ? t('staff.edit', { name: member.name }) : t('staff.add');
  const first = { name: member?.name ?? '' };
  const [read, setRead] = useState(first);
  const form = useForm(`staff.${member?.id ?? 'new'}`, title, first, (was) =>
    setRead((before) => ({ ...before, ...was })),
  );
  const [name, setName] = form.field('name');
  const [code, setCode] = useState('');
  const running = events.find(({ status }) => status === 'active');
  const target = event ?? running;
  const [assign, setAssign] = useState(true);
  const [made, setMade] = useState<StaffMember>();
  const conflict = useConflict();
  const save = async (from = read) => {
    const body = {
      name: name.trim(),
      ...(code.trim() !== '' && { code: code.trim() }),
      ...(member && { expected: from }),
    };
    const saved = await api<StaffMember>(member ? `/staff/${member.id}` : '/staff', {
      method: member ? 'PUT' : 'POST',
      body,
    });
    if (!member && assign && target) await api(`/events/${target.id}/staff/${saved.id}`, { method: 'POST' });
    changed('/staff', '/events');
    if (member) {
      say(t('state.saved'));
      onClose();
    } else setMade(saved);
  };
  if (made)
    return (
      <Dialog
        title={t('staff.made', { name: made.name })}
        onClose={onClose}
        actions={
          <>
            {onPrint && (
              <button
                type="button"
                class="button button--quiet"
                onClick={() => {
                  onPrint([made], assign ? target : undefined);
                }}
              >
                <Icon name="print" size={16} /> {t('staff.printOne')}
              </button>
            )}
            <button type="button" class="button" onClick={onClose}>
              {t('action.done')}
            </button>
          </>
        }
      >
        <p>{t('staff.madeText')}</p>
        <p class="bigcode">{made.code}</p>
      </Dialog>
    );
  return (
    <FormDialog
      form={form}
      title={title}
      submit={t('action.save')}
      onSave={() => conflict.trying(() => save())}
      onClose={onClose}
      more={
        onRemove && (
          <button type="button" class="button button--quiet button--bad" onClick={onRemove}>
            {t('staff.remove')}
          </button>
        )
      }
    >
      <ConflictNote
        fields={conflict.fields}
        currency=""
        onMine={() => {
          const known = { ...read, ...theirs<typeof read>(conflict.fields) };
          setRead(known);
          return form.saving(() => conflict.trying(() => save(known)));
        }}
        onTheirs={() => {
          const known = { ...read, ...theirs<typeof read>(conflict.fields) };
          setRead(known);
          setName(known.name);
          conflict.clear();
        }}
      />
      <TextField label={t('donor.name')} value={name} maxLength={200} onValue={setName} required autoFocus />
      <TextField
        label={member ? t('staff.newPin') : t('staff.pin')}
        value={code}
        error={form.error('code')}
        onValue={setCode}
        inputMode="numeric"
        autoComplete="off"
        hint={member ? t('staff.newPinHint') : t('staff.pinHint')}
        optional
      />
      {!member && target && (
        <CheckField
          label={t('staff.assignTo', { event: target.name })}
          checked={assign}
          onChecked={setAssign}
        />
      )}
    </FormDialog>
  );
}
