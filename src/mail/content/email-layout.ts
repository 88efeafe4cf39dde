import { directionOf } from '../../common/text/direction.js';
import { type Html, html, trusted } from '../../pages/html.js';

/** An e-mail to send: the same text as HTML and as plain text. */
export interface Email {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface EmailLink {
  readonly label: string;
  readonly url: string;
}

export interface EmailParts {
  readonly language: string;
  readonly subject: string;
  readonly organization: string;
  /** The brand colour of the settings. Used only in the form `#rgb` or `#rrggbb`. */
  readonly brand: string | undefined;
  /** Content id of the attached logo. */
  readonly logoId?: string | undefined;
  readonly greeting: string;
  readonly paragraphs: readonly string[];
  readonly facts?: readonly (readonly [label: string, value: string])[];
  readonly buttons?: readonly EmailLink[];
  /** Quiet links at the end of the text. */
  readonly links?: readonly EmailLink[];
  /** A code to scan, attached as a picture. */
  readonly code?: { readonly contentId: string; readonly label: string };
  /** The last lines: name and address of the charity. The law requires them. */
  readonly footer: readonly string[];
  /** Reason why the reader receives this e-mail. */
  readonly why: string;
}

const BRAND = '#0d5c4c';
const FONT = "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/**
 * Creates an e-mail as HTML and as text. The HTML uses tables and inline styles, because mail programs support little else. In
 * mail programs with dark mode, the e-mail has dark colours.
 */
export function emailOf(parts: EmailParts): Email {
  return { subject: parts.subject, text: textOf(parts), html: htmlOf(parts).text };
}

function textOf(parts: EmailParts): string {
  const { greeting, paragraphs, facts = [], buttons = [], links = [], footer, why } = parts;
  return [
    greeting,
    ...paragraphs,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    ...buttons.map(linkText),
    ...links.map(linkText),
    `-- \n${[...footer, '', why].join('\n')}`,
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

const linkText = ({ label, url }: EmailLink): string => `${label}:\n${url}`;

function htmlOf(parts: EmailParts): Html {
  const brand = plainColour(parts.brand) ?? BRAND;
  return html`<!doctype html>
    <html lang="${parts.language}" dir="${directionOf(parts.language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${parts.subject}</title>
        <style>
          :root {
            color-scheme: light dark;
            supported-color-schemes: light dark;
          }
          @media (prefers-color-scheme: dark) {
            .page {
              background-color: #0f1a16 !important;
            }
            .card {
              background-color: #18251f !important;
              border-color: #2c3a34 !important;
            }
            .ink {
              color: #eef5f1 !important;
            }
            .soft {
              color: #a9b8b1 !important;
            }
            .line {
              border-color: #2c3a34 !important;
            }
          }
          @media (max-width: 480px) {
            .pad {
              padding-left: 24px !important;
              padding-right: 24px !important;
            }
          }
        </style>
      </head>
      <body class="page" style="margin:0;padding:0;background-color:#f6f2ea;">
        <table
          role="presentation"
          class="page"
          dir="${directionOf(parts.language)}"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border="0"
          style="background-color:#f6f2ea;"
        >
          <tr>
            <td align="center" style="padding:32px 12px;">
              <table
                role="presentation"
                class="card"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
                style="max-width:560px;background-color:#ffffff;border:1px solid #e4ddd0;border-radius:14px;overflow:hidden;"
              >
                <tr>
                  <td height="6" style="height:6px;line-height:6px;font-size:0;background-color:${brand};">
                    &nbsp;
                  </td>
                </tr>
                <tr>
                  <td class="pad" style="padding:30px 40px 0 40px;">${heading(parts)}</td>
                </tr>
                <tr>
                  <td
                    class="pad ink"
                    style="${style('padding:22px 40px 0 40px;font-size:18px;line-height:1.5;font-weight:600;')}"
                  >
                    ${parts.greeting}
                  </td>
                </tr>
                ${parts.paragraphs.map((paragraph) => paragraphOf(paragraph))}
                ${parts.facts && parts.facts.length > 0 && factsOf(parts.facts)}
                ${parts.code && codeOf(parts.code)} ${parts.buttons?.map((button) => buttonOf(button, brand))}
                ${parts.links && parts.links.length > 0 && linksOf(parts.links)}
                <tr>
                  <td class="pad" style="padding:30px 40px 0 40px;">
                    <div class="line" style="border-top:1px solid #e4ddd0;font-size:0;line-height:0;">
                      &nbsp;
                    </div>
                  </td>
                </tr>
                <tr>
                  <td
                    class="pad soft"
                    style="${style('padding:16px 40px 28px 40px;font-size:13px;line-height:1.6;', '#5b6b64')}"
                  >
                    ${parts.footer.map((line) => html`${line}<br />`)}<br />${parts.why}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html> `;
}

const heading = ({ organization, logoId }: EmailParts): Html =>
  logoId === undefined
    ? html`<div class="ink" style="${style('font-size:17px;line-height:1.4;font-weight:700;')}">
        ${organization}
      </div>`
    : html`<img
        src="cid:${logoId}"
        alt="${organization}"
        height="48"
        style="display:block;height:48px;width:auto;max-width:240px;border:0;"
      />`;

const factsOf = (facts: NonNullable<EmailParts['facts']>): Html =>
  html`<tr>
    <td class="pad" style="padding:22px 40px 0 40px;">
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
        ${facts.map(
          ([label, value]) =>
            html`<tr>
              <td
                class="soft line"
                valign="top"
                style="${style('padding:9px 0;border-top:1px solid #e4ddd0;font-size:14px;line-height:1.5;width:36%;', '#5b6b64')}"
              >
                ${label}
              </td>
              <td
                class="ink line"
                valign="top"
                style="${style('padding:9px 8px;border-top:1px solid #e4ddd0;font-size:15px;line-height:1.5;font-weight:600;')}"
              >
                ${value}
              </td>
            </tr>`,
        )}
      </table>
    </td>
  </tr>`;

// The white frame keeps the code readable in mail programs with dark mode.
const codeOf = ({ contentId, label }: NonNullable<EmailParts['code']>): Html =>
  html`<tr>
    <td class="pad ink" style="${style('padding:22px 40px 0 40px;font-size:15px;line-height:1.5;')}">
      <p style="margin:0 0 10px 0;">${label}</p>
      <img
        src="cid:${contentId}"
        width="220"
        height="220"
        alt="${label}"
        style="display:block;background-color:#ffffff;border-radius:8px;"
      />
    </td>
  </tr>`;

const paragraphOf = (paragraph: string): Html =>
  html`<tr>
    <td class="pad ink" style="${style('padding:14px 40px 0 40px;font-size:16px;line-height:1.6;')}">
      ${paragraph}
    </td>
  </tr>`;

const linksOf = (links: readonly EmailLink[]): Html =>
  html`<tr>
    <td
      class="pad soft"
      style="${style('padding:22px 40px 0 40px;font-size:14px;line-height:2;', '#5b6b64')}"
    >
      ${links.map(
        ({ label, url }) =>
          html`<a href="${url}" class="soft" style="${style('text-decoration:underline;', '#5b6b64')}"
              >${label}</a
            ><br />`,
      )}
    </td>
  </tr>`;

const buttonOf = ({ label, url }: EmailLink, brand: string): Html =>
  html`<tr>
    <td class="pad" style="padding:24px 40px 0 40px;">
      <table role="presentation" cellpadding="0" cellspacing="0" border="0">
        <tr>
          <td style="border-radius:10px;background-color:${brand};">
            <a
              href="${url}"
              style="${style('display:inline-block;padding:13px 26px;font-size:16px;font-weight:700;text-decoration:none;', inkOn(brand))}"
              >${label}</a
            >
          </td>
        </tr>
      </table>
    </td>
  </tr>`;

/** Font names are in single quotes, so that the style can be in an attribute with double quotes. */
const style = (rules: string, color = '#16241f'): Html =>
  trusted(`font-family:${FONT};color:${color};${rules}`);

const plainColour = (text: string | undefined): string | undefined => {
  const match = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text ?? '');
  if (!match?.[1]) return undefined;
  const digits = match[1].length === 3 ? [...match[1]].map((digit) => digit + digit).join('') : match[1];
  return `#${digits.toLowerCase()}`;
};

/** Returns white or nearly black, whichever has more contrast to the colour. */
function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#16241f' : '#ffffff';
}
