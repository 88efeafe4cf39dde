/*
 * The script that a charity pastes into its own website: `/embed.js`. It turns each link `<a
 * data-donate="button">` to a donate page into a button with a dialog, a goal bar or a form. The visitor sees
 * the plain link until the service confirms that this website may show the form, and after every failure. At
 * most 4 KB, without a dependency.
 */
import type { EmbedDto } from '../../src/pages/embed/dto/embed.dto.js';
import type { EmbedMessage } from './messages.js';

const POLL_MS = 30_000;
const LONGEST_MS = 600_000;
const READY = 'data-donate-ready';

const SERVICE = new URL((document.currentScript as HTMLScriptElement).src).origin;

const STYLE = `*{box-sizing:border-box;margin:0}
button,.x{font:inherit;font-weight:600;cursor:pointer;border:0;border-radius:.5em;padding:.65em 1.4em;min-height:44px}
button{background:var(--b);color:var(--o)}
:focus-visible{outline:3px solid var(--b);outline-offset:3px}
p{margin-bottom:.5em}strong{font-size:1.5em}
.p{float:right;font-weight:600;padding-top:.5em}
.t{height:.75em;border-radius:1em;background:#8884;overflow:hidden;margin-bottom:.75em}
.t div{height:100%;border-radius:1em;background:var(--b)}
iframe{display:block;width:100%;border:0}
dialog{width:48rem;max-width:100%;height:100%;max-height:100%;padding:0;border:0;background:#fff;color:#222;margin:auto}
dialog[open]{display:flex;flex-direction:column}
dialog::backdrop{background:#000a}
dialog iframe{flex:1}
.h{display:flex;justify-content:space-between;align-items:center;padding:.25em .5em}
.x{background:none;color:inherit;padding:.5em;display:inline-flex;align-items:center;outline-offset:-3px}
@media(min-width:50rem){dialog{height:94%;border-radius:1em}}`;

type Link = HTMLAnchorElement;

/** Creates an element with properties and children. */
function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: Node[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Adds a shadow root after the link. It keeps the styles of the website and the styles of this script apart. */
function rootAfter(link: Link, { brand, onBrand, locale }: EmbedDto, display: string): ShadowRoot {
  const host = make('div', { lang: locale });
  // Styles by script are allowed under every content policy. Inherited fonts keep the look of the website.
  host.style.cssText = `all:initial!important;display:${display}!important;font:1em/1.5 sans-serif!important;font-family:inherit!important;color:inherit!important;--b:${brand};--o:${onBrand}`;
  const root = host.attachShadow({ mode: 'open' });
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
  } catch {
    // Safari before 16.4 and Firefox before 101 cannot create a style sheet like this.
    root.append(make('style', { textContent: STYLE }));
  }
  link.after(host);
  return root;
}

const hide = (link: Link) => link.style.setProperty('display', 'none', 'important');

/** Creates the frame with the donate page. `heard` is called with each message of this page. */
function frameOf(link: Link, { texts }: EmbedDto, heard: (message: EmbedMessage) => void): HTMLIFrameElement {
  const src = new URL(link.href);
  // Most websites are light at night too. A dark form would not fit there.
  if (!getComputedStyle(document.documentElement).colorScheme.includes('dark'))
    src.searchParams.set('theme', 'light');
  const frame = make('iframe', {
    title: texts.title,
    src: src.href,
    allow: 'payment *; clipboard-write; web-share',
  });
  frame.onload = () => frame.contentWindow?.postMessage({ donate: 'hello' }, SERVICE);
  addEventListener('message', ({ origin, source, data }: MessageEvent<EmbedMessage | null>) => {
    if (origin === SERVICE && source === frame.contentWindow && data?.donate) heard(data);
  });
  return frame;
}

/**
 * The form in the page. It appears when the page in its frame has answered, so the visitor never sees an
 * empty frame.
 */
function showForm(link: Link, data: EmbedDto): void {
  let isShown = false;
  const frame = frameOf(link, data, ({ height = 0 }) => {
    if (!height) return;
    frame.style.height = `${height}px`;
    hide(link);
    isShown = true;
  });
  frame.style.height = '0';
  frame.addEventListener('load', () => {
    // The next page of the form, such as the thanks, starts at its top.
    if (isShown && frame.getBoundingClientRect().top < 0) frame.scrollIntoView();
  });
  rootAfter(link, data, 'block').append(frame);
}

/** A button that opens the form in a dialog. Browsers without dialogs, such as Safari 15.3, open the link instead. */
function showButton(link: Link, data: EmbedDto): void {
  const { texts } = data;
  if (!('HTMLDialogElement' in window)) return;
  let dialog: HTMLDialogElement | undefined;
  const close = () => dialog?.close();
  const root = rootAfter(link, data, 'inline-block');
  const button = make('button', { type: 'button', textContent: link.textContent });
  button.setAttribute('aria-haspopup', 'dialog');
  button.onclick = () => {
    if (!dialog) {
      dialog = make(
        'dialog',
        {},
        make(
          'div',
          { className: 'h' },
          make('a', {
            className: 'x',
            href: link.href,
            target: '_blank',
            rel: 'noopener',
            textContent: texts.newTab,
          }),
          make('button', { className: 'x', type: 'button', textContent: texts.close, onclick: close }),
        ),
        frameOf(link, data, ({ donate }) => donate === 'close' && close()),
      );
      dialog.setAttribute('aria-label', texts.title);
      root.append(dialog);
    }
    dialog.showModal();
  };
  root.append(button);
  hide(link);
}

/**
 * The total, with a bar for the goal. Requests the figures again every 30 seconds while the page is visible,
 * and less often after an error.
 */
function showBar(link: Link, data: EmbedDto, again: () => Promise<EmbedDto>): void {
  const root = rootAfter(link, data, 'block');
  const [amount, rest, fill] = [make('strong', {}), make('span', {}), make('div', {})];
  const share = make('span', { className: 'p' });
  const track = make('div', { className: 't' }, fill);
  track.setAttribute('role', 'progressbar');
  const draw = ({ percent, texts }: EmbedDto) => {
    amount.textContent = texts.amount;
    rest.textContent = ` ${texts.rest}`;
    share.textContent = texts.percent;
    track.hidden = percent === null;
    fill.style.width = `${Math.min(percent ?? 0, 100)}%`;
    track.setAttribute('aria-valuenow', `${Math.min(percent ?? 0, 100)}`);
    track.setAttribute('aria-label', texts.progress);
  };
  const poll = (wait: number) =>
    setTimeout(() => {
      if (document.hidden) poll(wait);
      else
        again().then(
          (next) => {
            draw(next);
            poll(POLL_MS);
          },
          () => poll(Math.min(wait * 2, LONGEST_MS)),
        );
    }, wait);
  draw(data);
  root.append(make('p', {}, share, amount, rest), track);
  link.before(root.host);
  poll(POLL_MS);
}

function start(): void {
  for (const link of document.querySelectorAll<Link>(`a[data-donate]:not([${READY}])`)) {
    const { origin, pathname, searchParams } = new URL(link.href);
    if (origin !== SERVICE) continue;
    link.setAttribute(READY, '');
    const { donate } = link.dataset;
    const read = async () => {
      const lang = searchParams.get('lang') ?? '';
      const answer = await fetch(
        `${SERVICE}/embed/${pathname.split('/')[2]}?lang=${encodeURIComponent(lang)}`,
        { credentials: 'omit' },
      );
      if (!answer.ok) throw new Error(answer.statusText);
      return (await answer.json()) as EmbedDto;
    };
    read().then(
      (data) => {
        if (donate === 'form') showForm(link, data);
        else if (donate === 'bar') showBar(link, data, read);
        else showButton(link, data);
      },
      // This website may not show the form, or there is no network. The link works without this script.
      () => undefined,
    );
  }
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
