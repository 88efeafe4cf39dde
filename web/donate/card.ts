import type { Stripe, StripeElements, StripeElementLocale, StripeError } from '@stripe/stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import type { FormModel } from '../../src/pages/donate/donate-form.js';

/** Result of a payment as the browser knows it. Only the server knows the final state. */
export type PaymentEnd =
  | { kind: 'done' }
  /** The payment was declined or is incomplete. The donor can try again with the same intent. */
  | { kind: 'refused'; message: string | undefined; saidByForm: boolean }
  /** There was no answer, so the payment may have succeeded. */
  | { kind: 'unsure' };

/** Errors that the card form shows itself. The page only adds that the donor was not charged. */
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

/** Payment methods of Stripe that never open another page. Unknown methods may open one. */
const STAY_IN_PAGE: ReadonlySet<string> = new Set([
  'card',
  'link',
  'apple_pay',
  'google_pay',
  'sepa_debit',
  'bacs_debit',
  'us_bank_account',
]);

interface Wishes {
  /** Called after the donor has agreed to the payment in a wallet. */
  onExpress: () => Promise<void>;
  /** True if the form is complete enough to open a wallet. */
  mayExpress: () => boolean;
  /** Called if the browser has a wallet. */
  onWallets: () => void;
}

/** The card form and the wallets of the browser, drawn by Stripe's script. */
export class CardForm {
  private method = 'card';

  private constructor(
    private readonly stripe: Stripe,
    private readonly elements: StripeElements,
  ) {}

  /** @throws Error if the script cannot be loaded */
  static async mount(
    { card, locale, currency, min, asksEmail }: FormModel,
    amount: number | undefined,
    { onExpress, mayExpress, onWallets }: Wishes,
  ): Promise<CardForm> {
    if (!card) throw new Error('no card form here');
    if (card.scriptUrl !== undefined) await loadScript(card.scriptUrl);
    const stripe = await loadStripe(card.publishableKey, { locale: locale as StripeElementLocale });
    if (!stripe) throw new Error('no card form here');
    const elements = stripe.elements({
      mode: 'payment',
      // If no amount is chosen yet, the minimum is enough, because the form only needs an approximate amount.
      amount: amount ?? min,
      currency,
      appearance: appearance(),
    });
    const express = elements.create('expressCheckout', {
      buttonHeight: 52,
      // For the receipt. The server keeps the address only if the event asks donors for one.
      emailRequired: asksEmail,
    });
    express.on('ready', ({ availablePaymentMethods: wallets }) => {
      if (wallets && Object.values(wallets).some(Boolean)) onWallets();
    });
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
    const form = new CardForm(stripe, elements);
    payment.on('change', ({ value }) => {
      form.method = value.type;
    });
    return form;
  }

  /** True if the chosen payment method may continue on the page of a bank, which no frame may show. */
  get mayLeave(): boolean {
    return !STAY_IN_PAGE.has(this.method);
  }

  setAmount(amount: number): void {
    void this.elements.update({ amount });
  }

  /** Returns the error of the card input; undefined if the input is complete and valid. */
  async problem(): Promise<string | undefined> {
    const { error } = await this.elements.submit();
    return error && (error.message ?? '');
  }

  /** Pays. If the bank must authenticate the donor, the browser opens the page of the bank, which returns to `returnUrl`. */
  async pay(clientSecret: string, returnUrl: string, express: boolean): Promise<PaymentEnd> {
    const { error } = await this.stripe.confirmPayment({
      elements: this.elements,
      clientSecret,
      confirmParams: { return_url: returnUrl },
      redirect: 'if_required',
    });
    return error ? endOf(error, express) : { kind: 'done' };
  }

  /** True if the bank still waits for the donor. `resume` then continues at the bank. */
  async waitsForBank(clientSecret: string): Promise<boolean> {
    const { paymentIntent } = await this.stripe.retrievePaymentIntent(clientSecret);
    return paymentIntent?.status === 'requires_action';
  }

  /** Continues at the donor's bank. The bank returns to the `returnUrl` of the first attempt. */
  async resume(clientSecret: string): Promise<PaymentEnd> {
    const { error } = await this.stripe.handleNextAction({ clientSecret });
    return error ? endOf(error, true) : { kind: 'done' };
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
        // A closed wallet shows no error in the card form.
        saidByForm: !express && SAID_BY_FORM.has(error.code),
      };
    default:
      return { kind: 'unsure' };
  }
}

/**
 * Loads a substitute for Stripe's script, for tests. This must happen before `loadStripe`, which always loads the
 * official script if no script is present.
 */
export function loadScript(address: string): Promise<void> {
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

/** Returns the colours of this page. The card form needs them, because its frame is of another origin. */
export function appearance() {
  const body = getComputedStyle(document.body);
  const dark = getComputedStyle(document.documentElement).colorScheme === 'dark';
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

/**
 * Returns a colour in a notation that the card form accepts. Browsers return mixed colours as `color(…)`, which the
 * form refuses. So this function draws the colour on a canvas and reads the pixel.
 */
function plainColour(selector: string, property: 'color' | 'backgroundColor'): string {
  const element = document.querySelector(selector) ?? document.body;
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) return '#000000';
  context.fillStyle = getComputedStyle(element)[property];
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
