import { useState } from 'preact/hooks';
import type {
  FoundReferenceDto,
  FoundReferencesDto,
  ReceivedTransfersDto,
  ReferenceState,
} from '../../../src/transfers/dto/received-transfer.dto.js';
import { TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { Pill, type Tone } from '../../desk/states.js';
import { money, t, tn } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { changed } from '../api/query.js';
import { href } from '../router.js';
import { nameOf } from './donations.js';
import { today } from './receive-dialog.js';

/** Longest text of one request. A longer text is sent in parts. */
const PART = 20_000;

const TONES: Readonly<Record<ReferenceState, Tone>> = {
  open: 'good',
  cancelled: 'warn',
  received: 'quiet',
  closed: 'quiet',
  unknown: 'bad',
  foreign: 'quiet',
  mistyped: 'bad',
};

const isBookable = ({ state }: FoundReferenceDto): boolean => state === 'open' || state === 'cancelled';

/**
 * Finds the references of bank transfers in a pasted text, shows the donation of each, and marks all of them as received with one
 * click.
 */
export function PasteReferences({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [receivedOn, setReceivedOn] = useState(today);
  const [found, setFound] = useState<readonly FoundReferenceDto[]>();
  const bookable = (found ?? []).filter(isBookable);
  const search = async () => setFound(await searchAll(text));
  const receive = async () => {
    const donationIds = bookable.flatMap(({ donation }) => (donation ? [donation.id] : []));
    const { received, skipped } = await api<ReceivedTransfersDto>('/transfers/receive', {
      method: 'POST',
      body: { donationIds, receivedOn },
    });
    changed('/donations', '/events');
    say(tn('transfers.done', received), skipped.length > 0 ? 'bad' : 'good');
    // The states show which transfers another person marked meanwhile.
    await search();
  };
  return (
    <FormDialog
      title={t('transfers.title')}
      cancel={t('action.close')}
      submit={
        bookable.length > 0
          ? `${tn('transfers.markAll', bookable.length)} · ${sumOf(bookable)}`
          : t('transfers.search')
      }
      disabled={text.trim() === ''}
      onClose={onClose}
      onSave={() => (bookable.length > 0 ? receive() : search())}
    >
      <p class="soft">
        {t('transfers.text')}{' '}
        <a href={`${href('donations')}?type=bank_transfer&status=PENDING`} onClick={onClose}>
          {t('transfers.showOpen')}
        </a>
      </p>
      <TextField
        label={t('transfers.paste')}
        hint={t('transfers.pasteHint')}
        rows={5}
        value={text}
        autoFocus
        onValue={(value) => {
          setText(value);
          setFound(undefined);
        }}
      />
      {bookable.length > 0 && (
        <TextField
          label={t('transfers.receivedOn')}
          type="date"
          required
          max={today()}
          value={receivedOn}
          onValue={setReceivedOn}
        />
      )}
      <p role="status">{found && tn('transfers.found', found.length)}</p>
      {found && found.length > 0 && (
        <ul class="lines">
          {found.map((one) => (
            <li key={one.reference} class="lines__row">
              <span>
                <span class="mono">{one.reference}</span>{' '}
                <Pill tone={TONES[one.state]}>{t(`transfers.state.${one.state}`)}</Pill>
                {one.donation && (
                  <span class="field__hint check__hint">
                    {nameOf(one.donation)} · {one.eventName}
                  </span>
                )}
              </span>
              {one.donation && (
                <strong class="number">{money(one.donation.amount, one.donation.currency)}</strong>
              )}
            </li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}

/** Searches the text in parts that end at a line break. */
async function searchAll(text: string): Promise<FoundReferenceDto[]> {
  const found = new Map<string, FoundReferenceDto>();
  for (const part of partsOf(text)) {
    const answer = await api<FoundReferencesDto>('/transfers/search', {
      method: 'POST',
      body: { text: part },
    });
    for (const one of answer.found) found.set(one.donation?.id ?? one.reference, one);
  }
  return [...found.values()];
}

/** Cuts a text into parts. Control characters, which the server refuses, become spaces. */
function partsOf(text: string): string[] {
  const parts = [''];
  const clean = text.replace(/[^\P{C}\n\t]/gu, ' ');
  for (const line of clean.split('\n').flatMap((one) => one.match(/.{1,10000}/gsu) ?? [])) {
    if ((parts.at(-1) ?? '').length + line.length >= PART) parts.push('');
    parts.push(`${parts.pop() ?? ''}${line}\n`);
  }
  return parts.filter((part) => part.trim() !== '');
}

function sumOf(found: readonly FoundReferenceDto[]): string {
  const sums = new Map<string, number>();
  for (const { donation } of found)
    if (donation) sums.set(donation.currency, (sums.get(donation.currency) ?? 0) + donation.amount);
  return [...sums].map(([currency, amount]) => money(amount, currency)).join(' + ');
}
