import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Capability } from '../../src/common/access/principal.js';
import type { EventDto } from '../../src/events/dto/event.dto.js';
import type { OpenReviewItemsDto } from '../../src/reporting/review/dto/open-review-items.dto.js';
import { Dialog } from '../desk/dialog.js';
import { Icon, type IconName } from '../desk/icons.js';
import { Menu } from '../desk/menu.js';
import { Pill } from '../desk/states.js';
import { number, t, type TextKey, word } from '../desk/texts.js';
import { showRehearsal } from '../kit/rehearsal.js';
import { useQuery } from './api/query.js';
import { signOut } from './api/session.js';
import { discardDrafts } from './drafts.js';
import { chooseLanguage, LANGUAGES, spokenLanguage } from './languages.js';
import { can, useMe } from './me.js';
import { model } from './model.js';
import { chosenTheme, remember, showTheme, type Theme } from './preferences.js';
import { go, href, usePlace } from './router.js';
import { DraftsNote } from './parts/leave-dialog.js';
import { unlessUnsaved } from './unsaved.js';
import { FIRST_ITEMS } from './parts/review-words.js';

interface Entry {
  readonly path: string;
  readonly text: TextKey;
  readonly icon: IconName;
  readonly needs: Capability;
}

const GROUPS: readonly { readonly title: TextKey; readonly entries: readonly Entry[] }[] = [
  {
    title: 'nav.evening',
    entries: [
      { path: 'tonight', text: 'nav.tonight', icon: 'tonight', needs: 'events:list' },
      { path: 'donations', text: 'nav.donations', icon: 'donations', needs: 'donations:list' },
      { path: 'review', text: 'nav.review', icon: 'review', needs: 'reviews:list' },
      { path: 'closing', text: 'nav.closing', icon: 'closing', needs: 'donations:export' },
    ],
  },
  {
    title: 'nav.prepare',
    entries: [
      { path: 'events', text: 'nav.events', icon: 'events', needs: 'events:list' },
      { path: 'match-pools', text: 'nav.matchPools', icon: 'match', needs: 'match:list' },
      { path: 'milestones', text: 'nav.milestones', icon: 'milestones', needs: 'milestones:list' },
      { path: 'teams', text: 'nav.teams', icon: 'teams', needs: 'teams:list' },
      { path: 'guests', text: 'nav.guests', icon: 'guests', needs: 'guests:manage' },
      { path: 'team', text: 'nav.team', icon: 'team', needs: 'staff:list' },
      { path: 'terminals', text: 'nav.terminals', icon: 'terminals', needs: 'terminals:list' },
      { path: 'donors', text: 'nav.donors', icon: 'donors', needs: 'donors:list' },
    ],
  },
  {
    title: 'nav.organization',
    entries: [
      { path: 'settings', text: 'nav.settings', icon: 'settings', needs: 'settings:update' },
      { path: 'emails', text: 'nav.emails', icon: 'emails', needs: 'emails:list' },
      { path: 'users', text: 'nav.users', icon: 'users', needs: 'users:list' },
      { path: 'audit', text: 'nav.audit', icon: 'audit', needs: 'audit:read' },
    ],
  },
];

const REVIEW_EVERY_MS = 60_000;

export function Shell({ children }: { children: ComponentChildren }) {
  const { path, query } = usePlace();
  const [open, setOpen] = useState(false);
  const here = path.split('/')[0] ?? '';
  useEffect(() => setOpen(false), [path]);
  const slug = here === 'events' ? path.split('/')[1] : query.get('event');
  const isLooked = slug?.endsWith('-rehearsal') === true;
  const { data: event } = useQuery<EventDto>(isLooked ? `/events/${encodeURIComponent(slug)}` : null);
  const shown = isLooked ? event?.id : undefined;
  useEffect(() => {
    const entry = GROUPS.flatMap(({ entries }) => entries).find((one) => one.path === here);
    document.title = `${t(entry?.text ?? 'nav.desk')} · ${model.organization}`;
    showRehearsal(shown);
  }, [here, shown]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {t('nav.skip')}
      </a>
      <header class="topbar">
        <button type="button" class="iconbutton" aria-label={t('nav.menu')} onClick={() => setOpen(true)}>
          <Icon name="menu" size={20} />
        </button>
        <a class="topbar__name" href={href('tonight')}>
          {model.organization}
        </a>
        <AccountMenu small />
      </header>
      <aside class="sidebar" aria-label={model.organization}>
        <a class="brand" href={href('tonight')}>
          <span class="brand__mark" aria-hidden="true">
            {[...model.organization][0]?.toUpperCase()}
          </span>
          <span class="brand__name">{model.organization}</span>
        </a>
        <Navigation here={here} />
        <AccountMenu />
        <Version />
      </aside>
      {open && (
        <Dialog title={model.organization} look="drawer" onClose={() => setOpen(false)}>
          <Navigation here={here} />
          <Version />
        </Dialog>
      )}
      <main class="main" id="main" tabIndex={-1}>
        <DraftsNote />
        {children}
      </main>
    </div>
  );
}

/** Signs out, which discards the drafts of the person. */
const leave = (): void =>
  unlessUnsaved(
    () => {
      discardDrafts();
      void signOut();
    },
    { signsOut: true },
  );

function Version() {
  return (
    <footer class="version" role="contentinfo">
      {t('nav.version', { version: model.version })}
    </footer>
  );
}

function Navigation({ here }: { here: string }) {
  const waiting = useQuery<OpenReviewItemsDto>(can('reviews:list') ? FIRST_ITEMS : null, {
    every: REVIEW_EVERY_MS,
  });
  const count = waiting.data?.total;
  return (
    <nav class="nav" aria-label={t('nav.desk')}>
      {GROUPS.map(({ title, entries }) => {
        const allowed = entries.filter(({ needs }) => can(needs));
        if (allowed.length === 0) return null;
        return (
          <div key={title} class="nav__group">
            <p class="nav__title">{t(title)}</p>
            <ul>
              {allowed.map((entry) => (
                <li key={entry.path}>
                  <a
                    class="nav__link"
                    href={href(entry.path)}
                    aria-current={here === entry.path ? 'page' : undefined}
                  >
                    <Icon name={entry.icon} />
                    <span>{t(entry.text)}</span>
                    {entry.path === 'review' &&
                      (count === undefined
                        ? waiting.error && (
                            <Pill tone="bad">
                              <span aria-hidden="true">?</span>
                              <span class="visually-hidden">{t('closing.notChecked')}</span>
                            </Pill>
                          )
                        : count > 0 && <Pill tone="warn">{number(count)}</Pill>)}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

function AccountMenu({ small = false }: { small?: boolean }) {
  const who = useMe();
  const [theme, setTheme] = useState(chosenTheme);
  const name = who?.user.name ?? who?.user.email ?? '';
  const role = word('role', who?.user.role ?? '');
  const pick = (next: Theme) => {
    remember('theme', next);
    showTheme(next);
    setTheme(next);
  };
  return (
    <div class={small ? 'account account--small' : 'account'}>
      <Menu
        label={t('account.menu')}
        named={!small}
        class={small ? 'iconbutton' : 'account__button'}
        up={!small}
        items={[
          { label: t('nav.account'), onSelect: () => go(href('account')) },
          ...THEMES.map((one) => ({
            label: t(`theme.${one}`),
            checked: theme === one,
            onSelect: () => pick(one),
          })),
          ...model.languages.map((code) => ({
            label: LANGUAGES[code] ?? code,
            checked: spokenLanguage() === code,
            onSelect: () => void chooseLanguage(code),
          })),
          { label: t('account.leave'), onSelect: () => leave() },
        ]}
      >
        <span class="account__face" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
        {!small && (
          <span class="account__who">
            <span class="account__name">{name}</span> <span class="account__role">{role}</span>
            <span class="visually-hidden">: {t('account.menu')}</span>
          </span>
        )}
      </Menu>
    </div>
  );
}
