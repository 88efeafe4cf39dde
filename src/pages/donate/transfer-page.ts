import { inFours } from '../../common/banking/iban.js';
import { printedReference } from '../../common/banking/transfer-reference.js';
import { currencyExponent } from '../../common/money/money.js';
import { dateInWords } from '../../common/text/local-time.js';
import type { TransferDetailsDto } from '../../transfers/dto/transfer.dto.js';
import { type Html, html, trusted } from '../html.js';
import { fill } from '../texts.js';
import { shortMoney } from './amount.js';
import { type DonateView, formPath } from './donate-view.js';
import type { OwnDonationDto } from '../../payments/intents/dto/own-donation.dto.js';

/** An open transfer of a donor. */
interface OpenTransfer {
  readonly token: string;
  readonly own: OwnDonationDto;
  /** Picture of the code, as SVG. */
  readonly code?: string | undefined;
  /** True if the server sends the receipt by e-mail. */
  readonly mailsReceipt: boolean;
}

/** The bank details of an open transfer with the code to scan. Works without JavaScript. */
export function transferPage(view: DonateView, given: OpenTransfer, transfer: TransferDetailsDto): Html {
  const { texts, locale, event } = view;
  const { own, token, code } = given;
  const amount = shortMoney(own.amount, own.currency, currencyExponent(own.currency), locale);
  return html`<section class="transfer card">
    <h2 class="notice__title">${texts['state.open.transfer.title']}</h2>
    <p>${fill(texts['state.open.transfer.text'], { amount, event: event.name })}</p>
    <div class="transfer__parts">
      ${
        code &&
        html`<figure class="transfer__code">
          <div role="img" aria-label="${texts['transfer.codeAlt']}">${trusted(code)}</div>
          <figcaption><strong>${texts['transfer.scan']}</strong></figcaption>
        </figure>`
      }
      <dl class="transfer__details">
        ${line(view, 'transfer.amount', amount, (own.amount / 100).toFixed(2))}
        ${line(view, 'transfer.name', transfer.name, transfer.name)}
        ${line(view, 'transfer.iban', inFours(transfer.iban), transfer.iban)}
        ${transfer.bic !== '' && line(view, 'transfer.bic', transfer.bic, transfer.bic)}
        ${line(view, 'transfer.reference', printedReference(transfer.reference), transfer.reference)}
      </dl>
    </div>
    <p class="note note--warn">${texts['transfer.exactly']}</p>
    <h3 class="share__title">${texts['transfer.next']}</h3>
    <ul class="transfer__next">
      <li>${texts['transfer.counts']}</li>
      ${own.emailKnown && given.mailsReceipt && html`<li>${texts['thanks.receiptLater']}</li>`}
      ${until(view, own.currency, transfer)}
      <li>${texts['transfer.keep']}</li>
    </ul>
    <p class="notice__links">
      ${
        transfer.format === 'qr_bill' &&
        html`<a class="button" href="/donations/mine/${token}/qr-bill" download>${texts['transfer.bill']}</a>`
      }
      <a class="button button--quiet" href="${formPath(view)}">${texts['transfer.other']}</a>
    </p>
  </section>`;
}

/**
 * One line of the details. The page's script shows the button.
 * @param copied the text for the banking app, without spaces
 */
const line = ({ texts }: DonateView, key: string, shown: string, copied: string): Html =>
  html`<div class="transfer__line">
    <dt>${texts[key]}</dt>
    <dd>
      <strong class="number">${shown}</strong>
      <button
        class="button button--quiet transfer__copy"
        type="button"
        data-copy="${copied}"
        data-done="${texts['share.copied']}"
        aria-label="${fill(texts['transfer.copyOne'], { name: texts[key] ?? '' })}"
        hidden
      >
        ${texts['transfer.copy']}
      </button>
    </dd>
  </div> `;

function until(
  { texts, locale, settings }: DonateView,
  currency: string,
  { expiresAt }: TransferDetailsDto,
): Html | undefined {
  if (expiresAt === null) return undefined;
  const date = dateInWords(new Date(expiresAt), locale, settings.timezone, { currency });
  return html`<li>${fill(texts['transfer.until'], { date })}</li>`;
}
