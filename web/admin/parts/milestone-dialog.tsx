import { useState } from 'preact/hooks';
import type { DeletedMilestone, MilestoneDto } from '../../../src/milestones/dto/milestone.dto.js';
import { CheckField, MoneyField, SelectField, TextField } from '../../desk/fields.js';
import { ConfirmDialog, FormDialog } from '../../desk/form-dialog.js';
import { money, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed } from '../api/query.js';
import { changeOf, ConflictNote, theirs, useConflict } from './edit-conflict.js';
import type { DeskEvent } from './events.js';
import { type Form, useForm } from './form.js';
import { ImageField } from './image-field.js';

/** The bases that the form offers. */
const OFFERED = [
  'raised',
  'with_promises',
  'with_matches',
] as const satisfies readonly MilestoneDto['basis'][];

interface Fields {
  /** Null for an empty field, undefined for an invalid amount. */
  readonly amount: number | null | undefined;
  readonly title: string;
  readonly short: string;
  readonly text: string;
  readonly image: string;
  readonly basis: MilestoneDto['basis'];
  readonly kind: MilestoneDto['kind'];
  readonly announce: MilestoneDto['announce'];
  readonly isVisible: boolean;
  readonly announceNow: boolean;
}

const NAMES = [
  'amount',
  'title',
  'short',
  'text',
  'image',
  'basis',
  'kind',
  'announce',
  'isVisible',
] as const;
type Stored = Pick<Fields, (typeof NAMES)[number]>;

const fieldsOf = (milestone: MilestoneDto | undefined): Fields => ({
  amount: milestone?.amount ?? null,
  title: milestone?.title ?? '',
  short: milestone?.short ?? '',
  text: milestone?.text ?? '',
  image: milestone?.image ?? '',
  basis: milestone?.basis ?? 'raised',
  kind: milestone?.kind ?? 'step',
  announce: milestone?.announce ?? 'by_itself',
  isVisible: milestone?.isVisible ?? true,
  announceNow: false,
});

/** In the API, an empty text is null. */
const sent = (fields: Partial<Fields>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === '' ? null : value]));

export const milestonesPath = ({ id }: Pick<DeskEvent, 'id'>): string => `/milestones?eventId=${id}`;

/** Adds or changes a milestone. */
export function MilestoneDialog({
  event,
  milestone,
  onClose,
}: {
  event: DeskEvent;
  milestone: MilestoneDto | undefined;
  onClose: () => void;
}) {
  const [read, setRead] = useState<Stored>(() => fieldsOf(milestone));
  const title = milestone?.title ?? t('milestone.add');
  const form = useForm<Fields>(
    `milestone.${event.id}.${milestone?.id ?? 'new'}`,
    title,
    fieldsOf(milestone),
    (was) => setRead((before) => ({ ...before, ...was })),
  );
  const conflict = useConflict();
  const [asked, setAsked] = useState<'delete' | 'withdraw'>();
  const isReached = milestone !== undefined && milestone.reachedAt !== null;
  const now = Object.fromEntries(NAMES.map((name) => [name, form.field(name)[0]])) as unknown as Stored;
  const [announceNow] = form.field('announceNow');
  const save = (known: Stored) =>
    conflict.trying(async () => {
      if (milestone) {
        const { changes, expected } = changeOf<Stored>(known, now);
        const body = { ...sent(changes), expected: sent(expected) };
        await api(`/milestones/${milestone.id}`, { method: 'PATCH', body });
      } else
        await api(`/events/${event.id}/milestones`, { method: 'POST', body: { ...sent(now), announceNow } });
      changed(milestonesPath(event));
      say(t('state.saved'));
      onClose();
    });
  const take = () => {
    const values: Readonly<Record<string, unknown>> = theirs<Stored>(conflict.fields);
    const fresh = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? '']));
    const known = { ...read, ...fresh };
    setRead(known);
    return known;
  };
  if (asked && milestone) return <Asked what={asked} milestone={milestone} event={event} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={title}
      submit={milestone ? t('action.save') : t('milestone.add')}
      disabled={typeof now.amount !== 'number' || now.title.trim() === ''}
      onClose={onClose}
      onSave={() => save(read)}
      more={
        milestone && (
          <button
            type="button"
            class="button button--quiet button--bad"
            onClick={() => setAsked(isReached ? 'withdraw' : 'delete')}
          >
            {isReached ? t('milestone.withdraw') : t('milestone.delete')}
          </button>
        )
      }
    >
      <ConflictNote
        fields={conflict.fields}
        currency={event.currency}
        onMine={() => save(take())}
        onTheirs={() => {
          const known = take();
          form.set(
            Object.fromEntries(conflict.fields.map(({ field }) => [field, known[field as keyof Stored]])),
          );
          conflict.clear();
        }}
      />
      <MilestoneFields form={form} event={event} milestone={milestone} isReached={isReached} />
    </FormDialog>
  );
}

function MilestoneFields({
  form,
  event,
  milestone,
  isReached,
}: {
  form: Form<Fields>;
  event: DeskEvent;
  milestone: MilestoneDto | undefined;
  isReached: boolean;
}) {
  const [amount, setAmount] = form.field('amount');
  const [title, setTitle] = form.field('title');
  const [short, setShort] = form.field('short');
  const [text, setText] = form.field('text');
  const [image, setImage] = form.field('image');
  const [basis, setBasis] = form.field('basis');
  const [kind, setKind] = form.field('kind');
  const [announce, setAnnounce] = form.field('announce');
  const [isVisible, setVisible] = form.field('isVisible');
  const [announceNow, setAnnounceNow] = form.field('announceNow');
  const offered = OFFERED.some((one) => one === basis) ? OFFERED : [...OFFERED, basis];
  return (
    <>
      {isReached ? (
        <p class="note">
          {t('milestone.fixed', { amount: money(milestone?.amount ?? 0, event.currency, { short: true }) })}
        </p>
      ) : (
        <div class="pair">
          <MoneyField
            label={t('donation.amount')}
            currency={event.currency}
            value={amount ?? null}
            onValue={setAmount}
            error={form.error('amount')}
            autoFocus={milestone === undefined}
          />
          <SelectField
            label={t('milestone.basis')}
            value={basis}
            choices={offered.map((value) => ({ value, label: t(`milestone.basis.${value}`) }))}
            onValue={setBasis}
          />
        </div>
      )}
      <TextField
        label={t('milestone.title')}
        hint={t('milestone.titleHint')}
        value={title}
        onValue={setTitle}
        error={form.error('title')}
        maxLength={64}
        required
      />
      <TextField
        label={t('milestone.short')}
        hint={t('milestone.shortHint')}
        value={short}
        onValue={setShort}
        error={form.error('short')}
        maxLength={32}
        optional
      />
      <TextField
        label={t('milestone.text')}
        value={text}
        onValue={setText}
        error={form.error('text')}
        maxLength={280}
        rows={2}
        optional
      />
      <ImageField
        label={t('milestone.image')}
        value={image}
        onValue={(path) => setImage(path ?? '')}
        hint={t('milestone.imageHint')}
        isUploadOnly
      />
      <CheckField
        label={t('milestone.kind')}
        checked={kind === 'step'}
        onChecked={(checked) => setKind(checked ? 'step' : 'moment')}
      />
      <CheckField label={t('milestone.isVisible')} checked={isVisible} onChecked={setVisible} />
      {!isReached && (
        <CheckField
          label={t('milestone.announce')}
          hint={t('milestone.announceHint')}
          checked={announce === 'by_hand'}
          onChecked={(checked) => setAnnounce(checked ? 'by_hand' : 'by_itself')}
        />
      )}
      {milestone === undefined && (
        <CheckField label={t('milestone.announceNow')} checked={announceNow} onChecked={setAnnounceNow} />
      )}
    </>
  );
}

/** Asks before a milestone is deleted or withdrawn. */
function Asked({
  what,
  milestone,
  event,
  onClose,
}: {
  what: 'delete' | 'withdraw';
  milestone: MilestoneDto;
  event: DeskEvent;
  onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const done = () => {
    changed(milestonesPath(event));
    say(t('state.done'));
  };
  if (what === 'delete')
    return (
      <ConfirmDialog
        title={t('milestone.deleteTitle', { title: milestone.title })}
        confirm={t('milestone.delete')}
        danger
        onClose={onClose}
        onConfirm={async () => {
          await api<DeletedMilestone>(`/milestones/${milestone.id}`, { method: 'DELETE' });
          done();
        }}
      >
        <p>{t('milestone.deleteText')}</p>
      </ConfirmDialog>
    );
  return (
    <FormDialog
      title={t('milestone.withdrawTitle', { title: milestone.title })}
      submit={t('milestone.withdraw')}
      cancel={t('action.keep')}
      danger
      disabled={reason.trim() === ''}
      onClose={onClose}
      onSave={async () => {
        await api<MilestoneDto>(`/milestones/${milestone.id}/withdraw`, { method: 'POST', body: { reason } });
        done();
        onClose();
      }}
    >
      <p>{t('milestone.withdrawText')}</p>
      <TextField
        label={t('refund.reason')}
        value={reason}
        onValue={setReason}
        maxLength={280}
        required
        autoFocus
      />
    </FormDialog>
  );
}
