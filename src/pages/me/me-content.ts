import type { DeclarationDto } from '../../gift-aid/dto/gift-aid.dto.js';
import type { OwnData } from '../../donors/own/own-data.service.js';
import type { OwnGift, OwnGifts, OwnPledge } from '../../donors/own/own-gifts.service.js';
import { OWN_PAGE_PATH } from '../../mail/content/own-page-email.js';
import { PLEDGE_PATH } from '../../pledges/emails/own-pledges.service.js';
import { type Html, html } from '../html.js';
import type { PostalAddress } from '../../common/text/postal-address.js';
import type { OwnAddress } from '../../donors/own/own-address.service.js';
import { addressFields, homeCountry } from '../donate/address-fields.js';
import { fill, textsOf } from '../texts.js';
import { dayIn, type MeView, moneyIn, pathTo, readerOf, sendButton } from './me-view.js';

/** The page of a donor who is signed in. */
export function ownPage(
  view: MeView,
  email: string,
  { gifts: own, data }: { readonly gifts: OwnGifts; readonly data: OwnData },
  problem?: FormOfDonor,
): Html {
  const { texts } = view;
  return html`<div class="me__head">
      <h1>${texts.title}</h1>
      <p class="me__soft">${fill(texts['mine.all'], { email })}</p>
    </div>
    ${own.pledges.length > 0 && pledgesPart(view, own.pledges)} ${giftsPart(view, own)}
    ${own.years.length > 0 && yearsPart(view, own.years)}
    ${addressPart(view, own, data.address, problem?.form === 'address' ? problem : undefined)}
    ${claimPart(view, problem?.form === 'claim' ? problem : undefined)}
    ${data.declarations.length > 0 && giftAidPart(view, data.declarations)} ${dataPart(view, data)}
    <form class="me__links" method="post" action="${pathTo(view, '/sign-out')}">
      ${sendButton(texts['mine.signOut'], 'button button--quiet')}
    </form>
    <p class="me__soft">${texts['mine.ends']}</p>`;
}

/** A form of the page that the donor must correct. */
export interface FormOfDonor {
  readonly form: 'address' | 'claim';
  readonly text: string;
  readonly field: string;
  readonly typed: Readonly<Record<string, string>>;
}

/** A part of the page with a heading. */
const part = (id: string, title: string | undefined, content: Html): Html =>
  html`<section class="me__part card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;

const pledgesPart = (view: MeView, pledges: readonly OwnPledge[]): Html =>
  part(
    'pledges',
    view.texts['pledges.title'],
    html`<ul class="me__list">
      ${pledges.map(
        (pledge) =>
          html`<li class="me__gift">
            <span class="me__event">${pledge.eventName}</span>
            <span class="me__amount">${moneyIn(view, pledge.amount, pledge.currency)}</span>
            <span class="me__soft">${dayIn(view, pledge.at, pledge.currency)}</span>
            <span class="me__links">
              ${
                pledge.payPath !== undefined &&
                html`<a class="button" href="${pledge.payPath}">${view.texts['pledges.pay']}</a>`
              }
              <a href="${PLEDGE_PATH}/${pledge.withdrawToken}">${view.texts['pledges.cannot']}</a>
            </span>
          </li>`,
      )}
    </ul>`,
  );

const giftsPart = (view: MeView, { gifts, hasMore }: OwnGifts): Html =>
  part(
    'gifts',
    view.texts['gifts.title'],
    gifts.length === 0
      ? html`<p class="me__soft">${view.texts['gifts.none']}</p>`
      : html`<ul class="me__list">
            ${gifts.map((gift) => giftLine(view, gift))}
          </ul>
          ${hasMore && html`<p class="me__soft">${fill(view.texts['gifts.more'], { count: gifts.length })}</p>`}`,
  );

function giftLine(view: MeView, gift: OwnGift): Html {
  const { texts } = view;
  const amount = moneyIn(view, gift.amount, gift.currency);
  const date = dayIn(view, gift.at, gift.currency);
  const isPartlyRefunded = gift.state === 'received' && gift.refundedAmount > 0n;
  const facts = [
    date,
    texts[`state.${gift.state}`],
    isPartlyRefunded &&
      fill(texts['gifts.refunded'], { amount: moneyIn(view, gift.refundedAmount, gift.currency) }),
    gift.isAnonymous && texts['gifts.anonymous'],
  ].filter(Boolean);
  const addAddress = html`<a href="#address">${texts['gifts.addAddress']}</a>`;
  return html`<li class="me__gift">
    <span class="me__event">${gift.eventName}</span>
    <span class="me__amount">${amount}</span>
    <span class="me__soft">${facts.join(' · ')}</span>
    ${
      gift.hasReceipt &&
      html`<span class="me__links"
        ><a
          href="${pathTo(view, `/receipts/${gift.id}`)}"
          aria-label="${fill(texts['gifts.receiptOf'], { amount, date })}"
          download
          >${texts['gifts.receipt']}</a
        >${gift.lacksAddress && addAddress}</span
      >`
    }
  </li>`;
}

const yearsPart = (view: MeView, years: readonly number[]): Html =>
  part(
    'years',
    view.texts['years.title'],
    html`<p class="me__soft">${view.texts['years.text']}</p>
      <p class="me__links">
        ${years.map(
          (year) =>
            html`<a class="button button--quiet" href="${pathTo(view, `/statements/${year}`)}" download
              >${fill(view.texts['years.link'], { year })}</a
            > `,
        )}
      </p>
      <details class="me__more">
        <summary>${view.texts['years.other']}</summary>
        <form class="me__form" method="get" action="${OWN_PAGE_PATH}/statement">
          ${dayField('from', view.texts['years.from'])} ${dayField('to', view.texts['years.to'])}
          ${view.query !== '' && html`<input type="hidden" name="lang" value="${view.locale}" />`}
          <button class="button button--quiet">${view.texts['years.button']}</button>
        </form>
      </details>`,
  );

const dayField = (name: string, label: string | undefined): Html =>
  html`<div class="field">
    <label class="field__label" for="${name}">${label}</label>
    <input class="input" id="${name}" name="${name}" type="date" required />
  </div>`;

/** The Gift Aid declarations. The legal text is English, because the law of the United Kingdom asks for it. */
const giftAidPart = (view: MeView, declarations: readonly DeclarationDto[]): Html =>
  part(
    'gift-aid',
    view.texts['giftAid.title'],
    html`<ul class="me__list">
      ${declarations.map((declaration) => declarationLine(view, declaration))}
    </ul>`,
  );

function declarationLine(view: MeView, declaration: DeclarationDto): Html {
  const { texts } = view;
  const { id, firstName, lastName, declaredAt, cancelledAt, text } = declaration;
  const made = fill(texts['giftAid.made'], { date: dayIn(view, new Date(declaredAt)) });
  return html`<li class="me__gift">
    <span class="me__event">${firstName} ${lastName}</span>
    <span class="me__soft"
      >${
        cancelledAt === null
          ? made
          : `${made} · ${fill(texts['giftAid.cancelled'], { date: dayIn(view, new Date(cancelledAt)) })}`
      }</span
    >
    <details class="me__more">
      <summary>${texts['giftAid.text']}</summary>
      <div lang="en" dir="ltr">${text.split('\n').map((line) => html`<p>${line}</p>`)}</div>
    </details>
    ${
      cancelledAt === null &&
      html`<details class="me__more">
        <summary>${texts['giftAid.cancel']}</summary>
        <p>${texts['giftAid.cancelText']}</p>
        <form method="post" action="${pathTo(view, `/gift-aid/${id}`)}">
          ${sendButton(texts['giftAid.cancelButton'], 'button button--quiet')}
        </form>
      </details>`
    }
  </li>`;
}

const dataPart = (view: MeView, { hasOptedOut, erasureRequestedAt }: OwnData): Html =>
  part(
    'data',
    view.texts['data.title'],
    html`${
        hasOptedOut
          ? html`<p class="me__soft">${view.texts['data.stopped']}</p>`
          : html`<form method="post" action="${pathTo(view, '/pledge-emails')}">
              ${sendButton(view.texts['data.stop'], 'button button--quiet')}
            </form>`
      }
      <p class="me__soft">${view.texts['data.text']}</p>
      <p class="me__links">
        <a class="button button--quiet" href="${pathTo(view, '/data')}" download
          >${view.texts['data.link']}</a
        >
      </p>
      ${
        erasureRequestedAt
          ? html`<p class="me__soft">
              ${fill(view.texts['erase.requested'], { date: dayIn(view, erasureRequestedAt) })}
            </p>`
          : html`<details class="me__more">
              <summary>${view.texts['erase.title']}</summary>
              <p>${fill(view.texts['erase.text'], { organization: view.settings.organization })}</p>
              <form method="post" action="${pathTo(view, '/erasure')}">
                ${sendButton(view.texts['erase.button'], 'button button--quiet')}
              </form>
            </details>`
      }`,
  );

/** The postal address, and the form to change it. The form is open if a receipt needs the address. */
function addressPart(
  view: MeView,
  { gifts }: OwnGifts,
  address: OwnAddress | undefined,
  problem: FormOfDonor | undefined,
): Html {
  const { texts, settings } = view;
  const isNeeded = gifts.some(({ lacksAddress }) => lacksAddress);
  const typed = problem?.typed ?? (address?.parts ? filled(address.parts) : {});
  const form = html`<form class="me__form" method="post" action="${pathTo(view, '/address')}" novalidate>
    ${problem && html`<p class="field__error" id="problem" role="alert">${problem.text}</p>`}
    ${addressFields(
      { texts: textsOf('donate', view.locale), locale: readerOf(view), home: homeCountry(view) },
      typed,
      problem,
      { hint: fill(texts['address.hint'], { organization: settings.organization }), rule: 'required' },
    )}
    ${sendButton(texts['address.button'])}
  </form>`;
  return part(
    'address',
    texts['address.title'],
    html`${isNeeded && html`<p class="note note--warn">${texts['address.needed']}</p>`}
    ${
      address
        ? html`<p>${address.text.split('\n').map((line) => html`${line}<br />`)}</p>
            <p class="me__soft">${fill(texts['address.later'], { organization: settings.organization })}</p>
            <details class="me__more" ${problem && html`open`}>
              <summary>${texts['address.change']}</summary>
              ${form}
            </details>`
        : html`<details class="me__more" ${(problem ?? isNeeded) && html`open`}>
            <summary>${texts['address.add']}</summary>
            ${form}
          </details>`
    }`,
  );
}

const filled = (parts: PostalAddress): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(parts).filter((entry): entry is [string, string] => entry[1] !== null));

/** The form for a donation that was given without an e-mail address, such as cash at a table. */
const claimPart = (view: MeView, problem: FormOfDonor | undefined): Html =>
  part(
    'claim',
    view.texts['claim.title'],
    html`<details class="me__more" ${problem && html`open`}>
      <summary>${view.texts['claim.open']}</summary>
      <p>${view.texts['claim.text']}</p>
      <form class="me__form" method="post" action="${pathTo(view, '/claim')}" novalidate>
        <div class="field">
          <label class="field__label" for="code">${view.texts['claim.code']}</label>
          <input
            class="input"
            id="code"
            name="code"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            maxlength="40"
            required
            value="${problem?.typed.code}"
            aria-describedby="code-hint"
            ${problem && html`aria-invalid="true" aria-errormessage="problem" autofocus`}
          />
          ${problem && html`<p class="field__error" id="problem" role="alert">${problem.text}</p>`}
          <p class="field__hint" id="code-hint">${view.texts['claim.hint']}</p>
        </div>
        ${sendButton(view.texts['claim.button'])}
      </form>
    </details>`,
  );
