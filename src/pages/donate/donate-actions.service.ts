import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../common/errors/domain-errors.js';
import { currencyExponent } from '../../common/money/money.js';
import { validationPipe } from '../../common/validation/validation.pipe.js';
import { CapturesService } from '../../payments/intents/captures.service.js';
import { CreateIntentDto, type IntentDto } from '../../payments/intents/dto/intent.dto.js';
import { IntentsService } from '../../payments/intents/intents.service.js';
import { OwnEmailDto } from '../../payments/intents/dto/own-donation.dto.js';
import { OwnEmail } from '../../payments/intents/own-email.service.js';
import { OwnDonations } from '../../payments/intents/own-donations.service.js';
import { coveringFee } from '../../payments/intents/covered-fee.js';
import { fill } from '../texts.js';
import { ADDRESS_FIELDS, addressProblem, hasAddress } from './address-problem.js';
import { TRIBUTE_FIELDS, tributeOf, tributeProblem } from './tribute-problem.js';
import { parseAmount } from './amount.js';
import { feeOf } from './covered-fee-box.js';
import {
  boundsOf,
  type DonateView,
  type FormProblem,
  short,
  thanksPath,
  type TypedFields,
} from './donate-view.js';
import { TRANSFER } from './paying.js';
import { DonatePages } from './donate.service.js';
import { DonateViews } from './donate-views.service.js';
import { serviceAddress } from '../../common/http/origins.js';

/** The form uses the same validation rules as the API. */
const PIPE = validationPipe();
const SEE_OTHER = 303;
/** If the donor clicks the button twice, the second request waits for the answer to the first. */
const PRESSED_TWICE_TRIES = 10;
const PRESSED_TWICE_MS = 300;

/** Form actions for browsers without JavaScript: start a payment on a provider's page, and handle the donor's return. */
@Injectable()
export class DonateActions {
  private readonly logger = new Logger(DonateActions.name);

  constructor(
    private readonly views: DonateViews,
    private readonly pages: DonatePages,
    private readonly intents: IntentsService,
    private readonly captures: CapturesService,
    private readonly own: OwnDonations,
    private readonly ownEmail: OwnEmail,
  ) {}

  /**
   * Handles the submitted form. Redirects to the provider's page. After an error, shows the form again with the error and the
   * typed values.
   */
  async give(ref: string, body: unknown, request: Request, response: Response): Promise<void> {
    const typed = typedFields(body);
    const view = await this.views.read(ref, request, response);
    if (!view) {
      await this.pages.form(ref, request, response);
      return;
    }
    const sent = await this.intent(view, typed, providerOf(body), request);
    if ('problem' in sent) {
      await this.pages.form(ref, request, response, { typed, problem: sent.problem });
      return;
    }
    const { intent } = sent;
    // If the donor goes back after the payment and submits again, no second payment may start.
    const { state } = await this.own.read(intent.donorToken);
    const settled = state !== 'open' && state !== 'failed' && state !== 'unconfirmed';
    response.redirect(
      SEE_OTHER,
      settled || !('approveUrl' in intent)
        ? thanksPath(view.event, intent.donorToken, view.pledge)
        : intent.approveUrl,
    );
  }

  /**
   * Handles the return from the provider's page: captures the approved payment, then redirects to the thanks page. A reload of
   * the thanks page changes nothing.
   */
  async returned(ref: string, token: unknown, request: Request, response: Response): Promise<void> {
    const view = await this.views.read(ref, request, response);
    if (!view || typeof token !== 'string') {
      await this.pages.thanks(ref, token, request, response);
      return;
    }
    try {
      const paymentId = await this.own.paymentOf(token);
      if (paymentId !== undefined) await this.captures.capture(paymentId);
    } catch (error) {
      // Even after an error, the donor gets the thanks page, because it shows the state of the donation.
      if (!(error instanceof DomainError)) throw error;
      this.logger.warn({ msg: 'Order could not be captured when the donor returned', code: error.code });
    }
    response.redirect(SEE_OTHER, thanksPath(view.event, encodeURIComponent(token), view.pledge));
  }

  /** Saves the e-mail address that the thank-you page asked for. After an error in the address, shows the page again. */
  async saveEmail(ref: string, body: unknown, request: Request, response: Response): Promise<void> {
    const { donation: token, email } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const view = await this.views.read(ref, request, response);
    if (!view || typeof token !== 'string') {
      await this.pages.thanks(ref, token, request, response);
      return;
    }
    try {
      const dto = (await PIPE.transform({ email }, { type: 'body', metatype: OwnEmailDto })) as OwnEmailDto;
      await this.ownEmail.save(token, dto.email);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'VALIDATION_FAILED') {
        const typed = typeof email === 'string' ? email.trim() : '';
        const text = view.texts[typed === '' ? 'error.emailMissing' : 'error.emailInvalid'] ?? '';
        await this.pages.thanks(ref, token, request, response, { email: typed, text });
        return;
      }
      // The thank-you page shows the state of the donation. It also answers for an unknown token.
      this.logger.log({ msg: 'E-mail address of a donor not saved', code: error.code });
    }
    response.redirect(SEE_OTHER, thanksPath(view.event, encodeURIComponent(token), view.pledge));
  }

  private async intent(
    view: DonateView,
    typed: TypedFields,
    provider: string | undefined,
    request: Request,
  ): Promise<{ intent: IntentDto } | { problem: FormProblem }> {
    const wanted = wantedIntent(view, typed, provider);
    if ('problem' in wanted) return wanted;
    const key = createHash('sha256')
      .update(JSON.stringify([typed.key ?? '', wanted.body]))
      .digest('base64url');
    for (let tries = 1; ; tries += 1) {
      try {
        const dto = (await PIPE.transform(wanted.body, {
          type: 'body',
          metatype: CreateIntentDto,
        })) as CreateIntentDto;
        return { intent: await this.intents.create(dto, key, { ip: request.ip }, serviceAddress(request)) };
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        if (error.code !== 'IDEMPOTENCY_KEY_IN_USE' || tries === PRESSED_TWICE_TRIES)
          return { problem: problemOf(view, error) };
        await sleep(PRESSED_TWICE_MS);
      }
    }
  }
}

const FIELDS = [
  ...(['key', 'checkout', 'preset', 'amount', 'name', 'email', 'message'] as const),
  ...(['anonymous', 'hideAmount'] as const),
  ...(['address', 'giftAid', 'giftAidText', 'firstName', 'lastName', 'coverFee'] as const),
  ...ADDRESS_FIELDS,
  'tributeKind' as const,
  ...TRIBUTE_FIELDS,
];

function typedFields(body: unknown): TypedFields {
  const sent = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const value = sent[field];
      return typeof value === 'string' && value.trim() !== '' ? [[field, value.trim()]] : [];
    }),
  );
}

function providerOf(body: unknown): string | undefined {
  const provider = (body as { provider?: unknown } | undefined)?.provider;
  return typeof provider === 'string' ? provider : undefined;
}

/** Builds the body of `POST /donations/intent` from the form. */
function wantedIntent(
  view: DonateView,
  typed: TypedFields,
  provider: string | undefined,
): { body: object } | { problem: FormProblem } {
  const { event, settings, texts } = view;
  const { fields } = settings.donation;
  const { minAmount, maxAmount } = boundsOf(view);
  const problem = (key: string, field: FormProblem['field'], values: Record<string, string> = {}) => ({
    problem: { status: 400, text: fill(texts[key], values), ...(field && { field }) },
  });
  if (typed.amount === undefined && typed.preset === undefined)
    return problem('error.amountMissing', 'amount');
  const amount =
    typed.amount === undefined
      ? Number(typed.preset)
      : parseAmount(typed.amount, currencyExponent(event.currency), event.currency, view.locale);
  if (amount === undefined || !Number.isSafeInteger(amount))
    return problem('error.amountInvalid', 'amount', { example: short(view, 2_500) });
  if (amount < minAmount) return problem('error.amountTooSmall', 'amount', { min: short(view, minAmount) });
  if (maxAmount !== null && amount > maxAmount)
    return problem('error.amountTooLarge', 'amount', { max: short(view, maxAmount) });
  if (fields.donorName === 'required' && !typed.name) return problem('error.nameMissing', 'name');
  if (fields.donorEmail === 'required' && !typed.email) return problem('error.emailMissing', 'email');
  if (typed.email && !/^\S+@\S+\.\S+$/.test(typed.email)) return problem('error.emailInvalid', 'email');
  if (fields.message === 'required' && !typed.message) return problem('error.messageMissing', 'message');
  const declares = fields.giftAid && typed.giftAid !== undefined && typed.giftAidText !== undefined;
  const wrong = detailsProblem(view, typed, declares);
  if (wrong) return problem(`error.${wrong.key}`, wrong.field);
  const tribute = fields.tribute ? tributeOf(typed, typed.tributeKind) : undefined;
  const wrongTribute = fields.tribute ? tributeProblem(typed) : undefined;
  if (wrongTribute) return problem(`error.${wrongTribute.key}`, wrongTribute.field);
  const isTransfer = provider === TRANSFER;
  const fee = feeOf(view);
  // A transfer has no fee of a provider.
  const coveredFee = fee && typed.coverFee && !isTransfer ? coveringFee(amount, fee) : 0;
  return {
    body: {
      amount: amount + coveredFee,
      currency: event.currency,
      method: isTransfer ? 'transfer' : 'wallet',
      ...(provider !== undefined && !isTransfer && { provider }),
      metadata: {
        eventId: event.id,
        checkoutId: typed.checkout,
        pledgeToken: view.pledge?.token,
        donorName: typed.name,
        donorEmail: typed.email,
        message: typed.message,
        isAnonymous: typed.anonymous !== undefined,
        ...(typed.hideAmount !== undefined && { isAmountHidden: true }),
        ...(tribute && { tribute }),
        locale: view.chosen,
        ...(declares || sendsAddress(typed, settings.donation)
          ? { address: addressOf(typed) }
          : { donorAddress: typed.address }),
        ...(fields.giftAid && { giftAid: typed.giftAid !== undefined }),
        ...(declares && {
          giftAidDeclaration: {
            firstName: typed.firstName,
            lastName: typed.lastName,
            textDigest: typed.giftAidText,
          },
        }),
        ...(coveredFee > 0 && { coveredFee }),
        source: view.source,
        ...(typeof view.team === 'object' && { team: view.team.slug }),
      },
    },
  };
}

/** True if the donor typed an address that the event asks for. Without a script, the fields of a declaration are always visible. */
const sendsAddress = (typed: TypedFields, { fields }: DonateView['settings']['donation']): boolean =>
  fields.address !== 'hidden' && hasAddress(typed);

const addressOf = (typed: TypedFields): object =>
  Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, typed[field]]));

/**
 * Returns the first problem of the address and of the Gift Aid declaration.
 * @param declares true if the donor made the declaration that the page showed
 */
function detailsProblem(
  { settings: { donation } }: DonateView,
  typed: TypedFields,
  declares: boolean,
): { key: string; field: NonNullable<FormProblem['field']> } | undefined {
  const { fields } = donation;
  if (declares && !typed.firstName) return { key: 'firstNameMissing', field: 'firstName' };
  if (declares && !typed.lastName) return { key: 'lastNameMissing', field: 'lastName' };
  // A form of an earlier release sends the address as one text, and no declaration.
  if (!declares && typed.address) {
    if (fields.giftAid && typed.giftAid && !typed.name) return { key: 'giftAidIncomplete', field: 'name' };
    return undefined;
  }
  if (!declares && fields.giftAid && typed.giftAid)
    return { key: 'giftAidIncomplete', field: typed.name ? 'line1' : 'name' };
  const isNeeded = declares || fields.address === 'required' || sendsAddress(typed, donation);
  return isNeeded ? addressProblem(typed) : undefined;
}

/** Keys of the texts for error codes of the API. The page's script uses the same keys. */
const WORDS: Readonly<Record<string, string>> = {
  EVENT_TAKES_NO_DONATIONS: 'error.eventOff',
  TOO_MANY_INTENTS: 'error.tooMany',
  RATE_LIMITED: 'error.tooMany',
  AMOUNT_TOO_SMALL: 'error.amountNotTaken',
  AMOUNT_TOO_LARGE: 'error.amountNotTaken',
  AMOUNT_NOT_PAYABLE: 'error.amountNotTaken',
  CURRENCY_NOT_SUPPORTED: 'error.amountNotTaken',
  PAYMENT_REFUSED: 'error.notCharged',
  PROVIDER_REFUSED: 'error.notCharged',
  TRANSFER_NOT_OFFERED: 'error.transferOff',
  PLEDGE_NOT_OPEN: 'error.pledgeOver',
  PLEDGE_LINK_INVALID: 'error.pledgeOver',
  GIFT_AID_TEXT_CHANGED: 'error.giftAidTextChanged',
};

function problemOf({ texts }: DonateView, error: DomainError): FormProblem {
  const status = error.getStatus();
  const fallback = status >= 500 ? 'error.unavailable' : 'error.invalid';
  return { status, text: texts[WORDS[error.code] ?? fallback] ?? '' };
}
