import { useState } from 'preact/hooks';
import type { Formats } from '../wall/formats.js';
import type { Donation } from '../wall/live-feed.js';
import { keep, kept } from './kept.js';

/** Ids that this device remembers as thanked. More are only of old donations, which the page does not show. */
const REMEMBERED = 500;

interface Props {
  readonly event: string;
  readonly formats: Formats;
  /** Newest first. */
  readonly donations: readonly Donation[];
}

/** The donors to thank, newest first. A touch marks a donor as thanked and moves the name to the end. */
export function Names({ event, formats, donations }: Props) {
  const key = `stage.thanked.${event}`;
  const [thanked, setThanked] = useState<ReadonlySet<string>>(() => new Set((kept(key) ?? '').split(' ')));
  const toggle = (id: string) => {
    const now = new Set(thanked);
    if (!now.delete(id)) now.add(id);
    setThanked(now);
    keep(key, [...now].slice(-REMEMBERED).join(' '));
  };
  const named = donations.filter(({ donorName }) => formats.isNamed(donorName));
  const unnamed = donations.length - named.length;
  const waiting = named.filter(({ id }) => !thanked.has(id));
  const done = named.filter(({ id }) => thanked.has(id));
  const row = (donation: Donation) => (
    <Name
      key={donation.id}
      donation={donation}
      formats={formats}
      isThanked={thanked.has(donation.id)}
      onToggle={() => {
        toggle(donation.id);
      }}
    />
  );
  return (
    <section class="names" aria-labelledby="names">
      <header class="names__head">
        <h2 class="part__title" id="names">
          {formats.text('names.title')}
        </h2>
        {unnamed > 0 && (
          <p class="quiet">
            {formats.fill(`names.unnamed.${unnamed === 1 ? 'one' : 'other'}`, {
              count: formats.number(unnamed),
            })}
          </p>
        )}
      </header>
      {waiting.length === 0 && (
        <p class="quiet">{formats.text(done.length > 0 ? 'names.allThanked' : 'names.none')}</p>
      )}
      <ul>{waiting.map(row)}</ul>
      {done.length > 0 && (
        <>
          <h3 class="names__done">{formats.text('names.thanked')}</h3>
          <ul>{done.map(row)}</ul>
        </>
      )}
    </section>
  );
}

function Name({
  donation,
  formats,
  isThanked,
  onToggle,
}: {
  readonly donation: Donation;
  readonly formats: Formats;
  readonly isThanked: boolean;
  readonly onToggle: () => void;
}) {
  const { donorName, donorPronunciation, message } = donation;
  const facts = [formats.tribute(donation), formats.matched(donation)].filter(Boolean).join(' · ');
  return (
    <li>
      <button type="button" class="name" aria-pressed={isThanked} onClick={onToggle}>
        <span class="name__line">
          <bdi class="name__text">{donorName}</bdi>
          <span class="name__amount">{formats.amount(donation)}</span>
        </span>
        {donorPronunciation !== undefined && (
          <span class="name__say">{formats.fill('names.say', { text: donorPronunciation })}</span>
        )}
        {facts !== '' && <span class="name__facts">{facts}</span>}
        {message !== undefined && (
          <span class="name__message" dir="auto">
            {message}
          </span>
        )}
      </button>
    </li>
  );
}
