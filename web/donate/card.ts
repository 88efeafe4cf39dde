import type { Stripe, StripeElements, StripeElementLocale, StripeError } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import type { FormModel } from '../../src/pages/donate/donate-form.js';

/** How a payment ended, as far as this page knows; the server knows more. */
export type PaymentEnd =
  | { kind: 'done' }
  /** Declined, or not filled in: the donor may go on with the same intent. */
  | { kind: 'refused'; message: string | undefined; saidByForm: boolean }
  /** No answer came: it may have been paid. */
  | { kind: 'unsure' };

/** The reasons that the card form shows by itself: the page adds what it means, and does not say it again. */
const SAID_BY_FORM: ReadonlySet<string | undefined> = new Set([
  'card_declined',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'incorrect_zip',
  'invalid_cvc',
  'invalid_expiry_month',
  'invalid_expiry_year',
]);

interface Wishes {
  /** The wallets of the browser: the donor has agreed to pay there. */
  onExpress: () => Promise<void>;
  /** Whether the form is filled in well enough for a wallet to open. */
  mayExpress: () => boolean;
}

/** The card form and the browser's wallets, drawn by Stripe's script. */
export class CardForm {
  private constructor(
    private readonly stripe: Stripe,
    private readonly elements: StripeElements,
  ) {}

  /** @throws Error when the script cannot be loaded */
  static async mount(
    { card, locale, currency, min }: FormModel,
    amount: number | undefined,
    { onExpress, mayExpress }: Wishes,
  ): Promise<CardForm> {
    if (!card) throw new Error('no card form here');
    if (card.scriptUrl !== undefined) await loadScript(card.scriptUrl);
    const stripe = await loadStripe(card.publishableKey, { locale: locale as StripeElementLocale });
    if (!stripe) throw new Error('no card form here');
    const elements = stripe.elements({
      mode: 'payment',
      // Nothing is chosen yet: the form only needs to know about how much it is.
      amount: amount ?? min,
      currency,
      appearance: appearance(),
    });
    const express = elements.create('expressCheckout', { buttonHeight: 52 });
    express.on('click', (event) => {
      if (mayExpress()) event.resolve();
      else event.reject();
    });
    express.on('confirm', () => void onExpress());
    express.mount('#express');
    const payment = elements.create('payment', {
      layout: 'tabs',
      fields: { billingDetails: { name: 'auto', email: 'auto' } },
    });
    const place = document.querySelector('#card');
    payment.on('ready', () => place?.removeAttribute('aria-busy'));
    place?.replaceChildren();
    payment.mount('#card');
    return new CardForm(stripe, elements);
  }

  setAmount(amount: number): void {
    void this.elements.update({ amount });
  }

  /** What is wrong with the card as it is filled in; undefined when it may be sent. */
  async problem(): Promise<string | undefined> {
    const { error } = await this.elements.submit();
    return error && (error.message ?? '');
  }

  /** Pays; a bank that wants to see the donor takes the page away, and sends it to `returnUrl`. */
  async pay(clientSecret: string, returnUrl: string, express: boolean): Promise<PaymentEnd> {
    const { error } = await this.stripe.confirmPayment({
      elements: this.elements,
      clientSecret,
      confirmParams: { return_url: returnUrl },
      redirect: 'if_required',
    });
    return error ? endOf(error, express) : { kind: 'done' };
  }
}

function endOf(error: StripeError, express: boolean): PaymentEnd {
  const status = error.payment_intent?.status;
  if (status === 'succeeded' || status === 'processing') return { kind: 'done' };
  switch (error.type) {
    case 'card_error':
    case 'validation_error':
      return {
        kind: 'refused',
        message: error.message,
        // A wallet closes, and the card form beside it shows nothing of it.
        saidByForm: !express && SAID_BY_FORM.has(error.code),
      };
    default:
      return { kind: 'unsure' };
  }
}

/** The address of the official script is fixed in its loader; a stand-in has to be there before. */
function loadScript(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => {
      resolve();
    };
    script.onerror = () => {
      reject(new Error('The script did not load'));
    };
    document.head.append(script);
  });
}

/** The colours of this page, branding included, for a form that lives in a frame of another origin. */
function appearance() {
  const body = getComputedStyle(document.body);
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  return {
    theme: dark ? ('night' as const) : ('stripe' as const),
    variables: {
      colorPrimary: plainColour('#pay', 'backgroundColor'),
      colorBackground: plainColour('#amount', 'backgroundColor'),
      colorText: plainColour('body', 'color'),
      fontFamily: body.fontFamily,
      fontSizeBase: body.fontSize,
      borderRadius: '8px',
      spacingUnit: '4px',
    },
  };
}

/** A mixed colour is computed as `color(…)`, which the form does not know: drawn and read back it is plain. */
function plainColour(selector: string, property: 'color' | 'backgroundColor'): string {
  const element = document.querySelector(selector) ?? document.body;
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) return '#000000';
  context.fillStyle = getComputedStyle(element)[property];
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
