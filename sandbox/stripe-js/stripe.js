/* global window, document, location, queueMicrotask, URLSearchParams */
/* global SANDBOX, make, shadowOf, cardForm, problemOf */
// The replacement for Stripe.js, with the functions that the donation page uses. The script calls the sandbox from
// which it was loaded.

/** The owner of the wallet. */
const BILLING = { name: 'Dora Donor', email: 'dora.donor@example.com' };

class Element {
  constructor(elements, type, options) {
    this.elements = elements;
    this.type = type;
    this.options = options;
    this.listeners = new Map();
  }

  mount(target) {
    const place = typeof target === 'string' ? document.querySelector(target) : target;
    if (!place) throw new Error(`Invalid target: ${String(target)} is not in the page.`);
    this.host = make('div', { 'data-sandbox-element': this.type });
    place.replaceChildren(this.host);
    const root = shadowOf(this.host);
    if (this.type === 'expressCheckout') this.showButton(root);
    else this.form = cardForm(root, () => this.emit('change', this.state()));
    queueMicrotask(() => void this.becomeReady());
  }

  async becomeReady() {
    const { error } = await this.elements.load();
    if (error) this.emit('loaderror', { elementType: this.type, error });
    const methods = { availablePaymentMethods: { applePay: false, googlePay: true, link: false } };
    this.emit('ready', { elementType: this.type, ...(this.type === 'expressCheckout' && methods) });
  }

  showButton(root) {
    const button = make('button', { type: 'button' }, 'Google Pay (sandbox)');
    button.addEventListener('click', () => {
      const resolve = () => {
        this.elements.wallet = true;
        this.emit('confirm', {
          elementType: this.type,
          expressPaymentType: 'google_pay',
          billingDetails: BILLING,
          paymentFailed: () => undefined,
        });
      };
      if (this.listeners.has('click')) {
        this.emit('click', {
          elementType: this.type,
          expressPaymentType: 'google_pay',
          resolve,
          reject: () => undefined,
        });
      } else {
        resolve();
      }
    });
    root.append(button);
  }

  unmount() {
    this.host?.remove();
    this.host = undefined;
    this.form = undefined;
  }

  destroy() {
    this.unmount();
    this.elements.forget(this);
    this.emit('destroy', { elementType: this.type });
  }

  update(options) {
    this.options = { ...this.options, ...options };
  }

  focus() {
    this.form?.focus();
  }

  on(event, handler) {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), handler]);
    return this;
  }

  off(event, handler) {
    const left = (this.listeners.get(event) ?? []).filter((each) => handler && each !== handler);
    if (left.length > 0) this.listeners.set(event, left);
    else this.listeners.delete(event);
    return this;
  }

  once(event, handler) {
    const wrapped = (value) => {
      this.off(event, wrapped);
      handler(value);
    };
    return this.on(event, wrapped);
  }

  emit(event, value) {
    for (const handler of this.listeners.get(event) ?? []) handler(value);
  }

  state() {
    const [empty, complete] = [this.form.isEmpty(), this.form.isComplete()];
    return { elementType: this.type, empty, complete, collapsed: false, value: { type: 'card' } };
  }
}

class Elements {
  constructor(stripe, options = {}) {
    this.stripe = stripe;
    this.options = options;
    this.created = [];
    this.wallet = false;
  }

  create(type, options = {}) {
    if (type !== 'payment' && type !== 'expressCheckout')
      throw new Error(`The sandbox has no ${type} element`);
    if (this.getElement(type)) throw new Error(`Can only create one Element of type ${type}.`);
    const element = new Element(this, type, options);
    this.created.push(element);
    return element;
  }

  getElement(type) {
    return this.created.find((element) => element.type === type) ?? null;
  }

  forget(element) {
    this.created = this.created.filter((each) => each !== element);
  }

  update(options) {
    this.options = { ...this.options, ...options };
  }

  /** Loads the intent. Elements that were created without an intent (with `mode`, `amount`, `currency`) load nothing. */
  async load() {
    const { clientSecret } = this.options;
    return clientSecret === undefined ? {} : await this.stripe.retrievePaymentIntent(clientSecret);
  }

  async fetchUpdates() {
    const { error } = await this.load();
    return error ? { error } : {};
  }

  async submit() {
    if (this.wallet) return { selectedPaymentMethod: 'google_pay' };
    const form = this.getElement('payment')?.form;
    if (!form)
      return { error: { type: 'invalid_request_error', message: 'There is no mounted Payment Element.' } };
    const error = problemOf(form.values());
    form.show(error?.message ?? '');
    if (error) form.focus();
    return error ? { error } : { selectedPaymentMethod: 'card' };
  }

  /** Returns the API fields with the donor's payment method. */
  paymentMethod() {
    if (this.wallet) {
      const { name, email } = BILLING;
      const { emailRequired } = this.getElement('expressCheckout').options;
      return {
        'payment_method_data[type]': 'card',
        'payment_method_data[card][token]': 'tok_google_pay',
        'payment_method_data[billing_details][name]': name,
        ...(emailRequired && { 'payment_method_data[billing_details][email]': email }),
      };
    }
    const { number, expiry, cvc } = this.getElement('payment').form.values();
    const [month, year] = expiry.split(/\s*\/?\s*(?=\d{2}$)/);
    return {
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': number,
      'payment_method_data[card][exp_month]': month,
      'payment_method_data[card][exp_year]': year,
      'payment_method_data[card][cvc]': cvc,
    };
  }
}

class StripeClient {
  constructor(publishableKey) {
    this.publishableKey = publishableKey;
  }

  /** The official loader registers itself here. */
  _registerWrapper() {}

  elements(options) {
    return new Elements(this, options);
  }

  async retrievePaymentIntent(clientSecret) {
    return await this.call('GET', clientSecret, '');
  }

  async confirmSetup({ elements, clientSecret, confirmParams = {}, redirect = 'always' }) {
    if (clientSecret === undefined) throw new Error('confirmSetup needs a clientSecret');
    const returnUrl = confirmParams.return_url;
    const submitted = await elements.submit();
    if (submitted.error) return { error: submitted.error };
    const fields = { ...elements.paymentMethod(), ...(returnUrl && { return_url: returnUrl }) };
    const result = await this.call('POST', clientSecret, '/confirm', fields, 'setupIntent');
    if (result.error) {
      elements.getElement('payment')?.form?.show(result.error.message);
      return result;
    }
    const bank = result.setupIntent.next_action?.redirect_to_url?.url;
    if (result.setupIntent.status === 'requires_action' && bank) return await leave(bank);
    return redirect === 'always' ? await leave(returnUrl) : result;
  }

  async confirmPayment({ elements, clientSecret, confirmParams = {}, redirect = 'always' }) {
    const secret = clientSecret ?? elements?.options.clientSecret;
    if (secret === undefined) throw new Error('confirmPayment needs a clientSecret');
    const returnUrl = confirmParams.return_url;
    if (redirect === 'always' && returnUrl === undefined)
      throw new Error('confirmPayment needs a return_url');
    const submitted = elements ? await elements.submit() : {};
    if (submitted.error) return { error: submitted.error };
    const fields = { ...(elements?.paymentMethod() ?? {}), ...(returnUrl && { return_url: returnUrl }) };
    const result = await this.call('POST', secret, '/confirm', fields);
    if (elements) elements.wallet = false;
    if (result.error) {
      elements?.getElement('payment')?.form?.show(result.error.message);
      return result;
    }
    return await this.follow(result.paymentIntent, { returnUrl, redirect });
  }

  /** Redirects to the bank. Only an intent in `requires_action` has a next action. */
  async handleNextAction({ clientSecret }) {
    const { paymentIntent, error } = await this.retrievePaymentIntent(clientSecret);
    if (error) return { error };
    if (paymentIntent.status !== 'requires_action')
      throw new Error(`handleNextAction: The PaymentIntent has the status ${paymentIntent.status}.`);
    return await this.follow(paymentIntent, { redirect: 'if_required' });
  }

  async follow(paymentIntent, { returnUrl, redirect }) {
    const bank = paymentIntent.next_action?.redirect_to_url?.url;
    if (paymentIntent.status === 'requires_action' && bank)
      return window.top === window ? await leave(bank) : await this.authenticateHere(paymentIntent, bank);
    if (redirect !== 'always') return { paymentIntent };
    const target = new URL(returnUrl);
    target.searchParams.set('payment_intent', paymentIntent.id);
    target.searchParams.set('payment_intent_client_secret', paymentIntent.client_secret);
    target.searchParams.set(
      'redirect_status',
      paymentIntent.status === 'processing' ? 'pending' : 'succeeded',
    );
    return await leave(target.href);
  }

  /**
   * In a frame of another site, shows the bank's page in a dialog on top of the page, as Stripe.js does for every card. The bank's
   * own page may not be framed.
   */
  async authenticateHere({ client_secret: secret }, bank) {
    const frame = document.createElement('iframe');
    frame.title = '3-D Secure';
    frame.src = bank.replace('/3ds/', '/3ds-modal/');
    Object.assign(frame.style, { position: 'fixed', inset: '0', width: '100%', height: '100%', border: '0' });
    frame.style.background = '#fff';
    document.body.append(frame);
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const result = await this.retrievePaymentIntent(secret);
      const { paymentIntent } = result;
      if (paymentIntent?.status === 'requires_action') continue;
      frame.remove();
      const failed = paymentIntent?.last_payment_error;
      return paymentIntent?.status === 'requires_payment_method'
        ? { error: { ...failed, type: 'invalid_request_error', payment_intent: paymentIntent } }
        : result;
    }
  }

  /** @returns `{ paymentIntent }` or `{ error }`; never rejects, because pages show the error */
  async call(method, clientSecret, path, fields = {}, kind = 'paymentIntent') {
    const [id] = clientSecret.split('_secret_');
    const form = new URLSearchParams({ ...fields, client_secret: clientSecret, key: this.publishableKey });
    const list = kind === 'setupIntent' ? 'setup_intents' : 'payment_intents';
    const url = `${SANDBOX}/v1/${list}/${encodeURIComponent(id)}${path}`;
    try {
      const response = await (method === 'GET'
        ? fetch(`${url}?${form.toString()}`)
        : fetch(url, { method, body: form }));
      const body = await response.json();
      return response.ok ? { [kind]: body } : { error: body.error };
    } catch {
      const message = 'There was an error connecting to the payment provider. Please try again.';
      return { error: { type: 'api_connection_error', message } };
    }
  }
}

/** Opens another page. The promise never resolves, because the current page ends. */
function leave(url) {
  location.assign(url);
  return new Promise(() => undefined);
}

window.Stripe = function Stripe(publishableKey, options) {
  if (typeof publishableKey !== 'string' || !publishableKey.startsWith('pk_'))
    throw new Error(
      'Please call Stripe() with your publishable key. You used an empty string or another kind of key.',
    );
  return new StripeClient(publishableKey, options);
};
window.Stripe.version = 'endive';
