import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.js';
import { t } from './texts.js';

/** Shown in place of an empty list: why the list is empty, and the next step. */
export const Empty = ({
  icon = 'search',
  title,
  isPage = false,
  children,
}: {
  icon?: IconName;
  title: string;
  /** True if this is the whole page, so that the title is its heading. */
  isPage?: boolean;
  children?: ComponentChildren;
}) => (
  <div class="empty">
    <span class="empty__icon">
      <Icon name={icon} size={22} />
    </span>
    {isPage ? <h1 class="empty__title">{title}</h1> : <p class="empty__title">{title}</p>}
    {children && <div class="empty__text">{children}</div>}
  </div>
);

/** Placeholders while rows load, so that the page does not move when the rows arrive. */
export const Skeleton = ({ rows = 6 }: { rows?: number }) => (
  <div class="skeleton" role="status">
    <span class="visually-hidden">{t('state.loading')}</span>
    {Array.from({ length: rows }, (_, index) => (
      <span key={index} class="skeleton__row" />
    ))}
  </div>
);

export const Failed = ({ error, retry }: { error: Error; retry?: () => void }) => (
  <div class="note note--bad failed" role="alert">
    <p>{error.message}</p>
    {retry && (
      <button type="button" class="button button--quiet" onClick={retry}>
        {t('action.retry')}
      </button>
    )}
  </div>
);

/** Shown in place of a part that the release of this server does not have. */
export const NotHere = () => <p class="nothere">{t('state.notHere')}</p>;

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'brand';

export const Pill = ({ tone = 'quiet', children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`pill pill--${tone}`}>{children}</span>
);
