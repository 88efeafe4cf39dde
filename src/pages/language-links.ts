import { type Html, html } from './html.js';

interface LanguageChoice {
  /** Codes such as `de`. */
  readonly languages: readonly string[];
  readonly chosen: string;
  /** Name of the links for screen readers. */
  readonly label: string | undefined;
  readonly look?: string;
}

/**
 * Returns links to the same page in other languages, each named in its own language.
 * @param path address of the page, with or without a query, but without `lang`
 */
export function languageLinks(path: string, { languages, chosen, label, look }: LanguageChoice): Html {
  const [page = '', query] = path.split('?');
  const hrefOf = (code: string) => `${page}?lang=${code}${query ? `&${query}` : ''}`;
  return html`<nav${look && html` class="${look}"`} aria-label="${label}">
    ${languages.map(
      (code) =>
        html`<a
          href="${hrefOf(code)}"
          hreflang="${code}"
          lang="${code}"
          ${code === chosen && html`aria-current="true"`}
          >${languageName(code)}</a
        > `,
    )}
  </nav>`;
}

/** Returns the name of a language in itself, such as "Français". */
function languageName(code: string): string {
  const name = new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}
