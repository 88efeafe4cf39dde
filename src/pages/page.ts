import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { strongTag } from '../common/http/kept-answers.js';
import { foreignOrigin } from '../settings/asset-address.js';
import type { Settings } from '../settings/settings.js';
import { directionOf } from '../common/text/direction.js';
import { type Html, html, trusted } from './html.js';
import { oldBrowserCheck, type OldBrowserCheck } from './old-browser.js';
import { edgeTonesOfLogo } from './logo-tones.js';
import { isScheme, stylesOf } from './page-colours.js';
import { rehearsalBand } from './rehearsal-band.js';
import { localeOfTexts } from './texts.js';
import { webFiles } from './web-files.js';

export interface PageModel {
  /** Folder of `web/` with the page's texts, script and style sheets. */
  readonly name: string;
  readonly title: string;
  /** The event of the page; null if the page's script chooses it. Pages of a rehearsal have a band. */
  readonly eventId?: string | null;
  /** True for a page that fills the screen and does not scroll. */
  readonly isWholeScreen?: boolean;
  /** BCP 47. */
  readonly locale: string;
  readonly settings: Pick<Settings, 'theme'>;
  readonly body: Html;
  /** Data for the page's script, as JSON in the `data-model` attribute of the body. */
  readonly data?: unknown;
  readonly description?: string;
  /** Additional CSP sources by directive, such as `script-src` for a payment provider's library. */
  readonly sources?: Readonly<Record<string, readonly string[]>>;
  /** True for a page about one person's payment. Such a page must not be cached or indexed. */
  readonly personal?: boolean;
  /** Additional attributes of the root element, such as `data-theme`. */
  readonly root?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** Additional head elements, such as the manifest of an installable page. */
  readonly head?: Html;
}

/** A rendered page. */
export interface RenderedPage {
  readonly status: number;
  readonly policy: string;
  readonly body: Buffer;
  readonly etag: string;
}

export const sendPage = (response: Response, model: PageModel): void => {
  sendRendered(response, renderPage(model));
};

export function sendRendered(response: Response, { status, policy, body, etag }: RenderedPage): void {
  response.status(status);
  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('ETag', etag);
  response.send(body);
}

/** Renders a page with its files and the charity's branding. The Content-Security-Policy allows only these. */
export function renderPage(model: PageModel): RenderedPage {
  const band = rehearsalBand(model.eventId, model.locale, model.isWholeScreen ?? false);
  const style = branding(model) + (band?.style ?? '');
  const { script, styles } = webFiles().of(model.name);
  const locale = localeOfTexts(model.name, model.locale);
  const check = script === undefined ? undefined : oldBrowserCheck(model.name);
  const world = webFiles().of('kit/fonts-world').styles;
  const document = html`<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}"${Object.entries(model.root ?? {}).map(([name, value]) => html` ${name}="${value}"`)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${band?.title}${model.title}</title>
${model.description && html`<meta name="description" content="${model.description}" />`}
${model.personal && html`<meta name="robots" content="noindex" />`}
<link rel="icon" href="${webFiles().icon}" type="image/svg+xml">
${model.head}
${styles.map((href) => html`<link rel="stylesheet" href="${href}" /> `)}<style>${trusted(style)}</style>
${script && html`<script type="module" src="${script}"></script>`}
</head>
<body${model.data !== undefined && html` data-model="${JSON.stringify(model.data)}"`}>
${band?.markup}${model.body}${check?.script}
${world.map((href) => html`<link rel="stylesheet" href="${href}" />`)}
</body>
</html>
`;
  const body = Buffer.from(document.text);
  return { status: model.status ?? 200, policy: policyOf(model, style, check), body, etag: strongTag(body) };
}

function policyOf({ settings, sources = {} }: PageModel, style: string, check?: OldBrowserCheck): string {
  const logo = foreignOrigin(settings.theme.assets.logo);
  const directives: Record<string, string[]> = {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...(check ? [check.source] : [])],
    'style-src': ["'self'", `'sha256-${createHash('sha256').update(style).digest('base64')}'`],
    'font-src': ["'self'"],
    'img-src': ["'self'", 'data:', ...(logo === undefined ? [] : [logo])],
    'connect-src': ["'self'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'self'"],
  };
  for (const [directive, further] of Object.entries(sources))
    directives[directive] = [...(directives[directive] ?? []), ...further];
  return Object.entries(directives)
    .map(([directive, values]) => `${directive} ${values.join(' ')}`)
    .join('; ');
}

/**
 * Returns the charity's variables and the colours derived from them. The page may set a scheme; without one, the device
 * decides. Names and values were validated, so they cannot end the declaration or the element.
 */
function branding({ settings, root }: PageModel): string {
  const { variables } = settings.theme;
  const declarations = Object.entries(variables).map(([name, value]) => `${name}:${value};`);
  const scheme = root?.['data-theme'];
  return `:root{${declarations.join('')}}${stylesOf(variables, isScheme(scheme) ? scheme : undefined, edgeTonesOfLogo({ theme: settings.theme }))}`;
}
