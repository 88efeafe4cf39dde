/** Markup that is safe to send, because `html` has escaped the values in it. */
export class Html {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

type Content = Html | string | number | undefined | null | false | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Template tag that escapes values, for use in text and in quoted attributes. `Html` values are inserted unchanged. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

/** Marks markup from our own code as safe, for example a QR code. */
export const trusted = (markup: string): Html => new Html(markup);

function render(content: Content): string {
  if (content === undefined || content === null || content === false) return '';
  if (content instanceof Html) return content.text;
  if (Array.isArray(content)) return content.map((one: Content) => render(one)).join('');
  return escapeHtml(String(content));
}
