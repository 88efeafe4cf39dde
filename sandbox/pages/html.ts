import type { Reply } from '../calls/http.js';

/** Markup that is already escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

type Piece = Markup | string | number | undefined | false | Piece[];

/** Creates markup: `` html`<p>${anything}</p>` ``. Escapes inserted text, but not inserted markup or lists of markup. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Markup {
  return new Markup(strings.reduce((text, part, index) => text + render(pieces[index - 1]) + part));
}

function render(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (Array.isArray(piece)) return piece.map(render).join('');
  return String(piece).replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}

/** Creates a whole page. `leadsTo` lists the origins to which a form may redirect; `framed` allows frames of every site. */
export function page(
  title: string,
  body: Markup,
  options: { status?: number; leadsTo?: string[]; framed?: boolean } = {},
): Reply {
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Payment sandbox</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        ${body}
      </body>
    </html>`;
  const formAction = ["'self'", ...(options.leadsTo ?? [])].join(' ');
  return {
    status: options.status ?? 200,
    text,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action ${formAction}; base-uri 'none'; frame-ancestors ${options.framed ? '*' : "'none'"}`,
      'x-content-type-options': 'nosniff',
      // With `no-referrer`, browsers would also remove the Origin header. The sandbox needs this header to recognize
      // its own forms.
      'referrer-policy': 'same-origin',
    },
  };
}

export function redirect(location: string): Reply {
  return { status: 303, text: '', contentType: 'text/plain', headers: { location } };
}

/** Converts an amount to text: 2500 → `€25.00`. */
export function displayAmount(minorUnits: number, currency: string, exponent: number): string {
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  }).format(minorUnits / 10 ** exponent);
}

/**
 * Converts typed text to minor units: `12.5` → 1250. Returns undefined for an empty field, and NaN for an invalid
 * amount.
 */
export function typedAmount(text: string | null, exponent: number): number | undefined {
  if (text === null || text.trim() === '') return undefined;
  const amount = Math.round(Number(text.replace(',', '.')) * 10 ** exponent);
  return amount > 0 && Number.isSafeInteger(amount) ? amount : NaN;
}
