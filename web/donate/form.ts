import type { FormModel } from '../../src/pages/donate/donate-form.js';
import { ApiError, cancelOwnDonation, OfflineError, openIntent, ownDonation } from './api.js';
import { CardForm, type PaymentEnd } from './card.js';
import { type Checkout, CheckoutStore, type Draft, type Intent } from './checkout.js';
import { Fields, fill, type Problem } from './fields.js';
import { endAbandonedForm, isKiosk } from './kiosk.js';
import { broughtDraft, isFramed, openOutside } from './outside.js';
import { Panel } from './panel.js';
import { ageOf, recentDonation } from './recent.js';
import { thanksQuery } from './thanks.js';

/** Text keys for the error codes of the server. The server uses the same keys when it renders the page. */
const WORDS: Readonly<Record<string, string>> = {
  EVENT_TAKES_NO_DONATIONS: 'eventOff',
  EVENT_NOT_FOUND: 'eventOff',
  TOO_MANY_INTENTS: 'tooMany',
  RATE_LIMITED: 'tooMany',
  AMOUNT_TOO_SMALL: 'amountNotTaken',
  AMOUNT_TOO_LARGE: 'amountNotTaken',
  AMOUNT_NOT_PAYABLE: 'amountNotTaken',
  CURRENCY_NOT_SUPPORTED: 'amountNotTaken',
  PAYMENT_REFUSED: 'notCharged',
  PROVIDER_REFUSED: 'notCharged',
  PLEDGE_NOT_OPEN: 'pledgeOver',
  PLEDGE_LINK_INVALID: 'pledgeOver',
  GIFT_AID_TEXT_CHANGED: 'giftAidTextChanged',
  PAYMENT_UNDER_WAY: 'stillOpen',
  DONATION_COMPLETED: 'stillOpen',
};

const SETTLED: ReadonlySet<string> = new Set(['paid', 'processing', 'refunded']);

const element = (selector: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`${selector} is not in the page`);
  return found;
};

export function startForm(model: FormModel): void {
  new DonateForm(model).start();
}

class DonateForm {
  private readonly form = element('#give') as HTMLFormElement;
  private readonly alert = element('#problem');
  private readonly fields: Fields;
  private readonly store: CheckoutStore;
  private readonly panel = new Panel(this.form);
  private card: CardForm | undefined;
  /** Resolved when the card form is shown or has failed to load. */
  private cardShown: Promise<void> = Promise.resolve();
  /** True while `redirect` submits the form, which opens the page of another provider. */
  private redirecting = false;
  private busy = false;
  private shown: Problem | undefined;

  constructor(private readonly model: FormModel) {
    this.fields = new Fields(this.form, model);
    this.store = new CheckoutStore(model);
  }

  /** Opens the page of the team in the draft if the address names none, such as after a failed payment. */
  private returnsToTeam(draft: Draft): boolean {
    const query = new URLSearchParams(location.search);
    if (draft.team === undefined || query.has('pledge')) return false;
    if (query.has('team') || this.form.querySelector('[name=team]')) {
      // The address names a team: the donor chose another one, or took the team away.
      this.store.change({ draft: { ...draft, team: undefined } });
      return false;
    }
    query.set('team', draft.team);
    location.replace(`${location.pathname}?${query}`);
    return true;
  }

  start(): void {
    const brought = broughtDraft();
    const draft = brought ?? this.store.get().draft;
    if (draft && this.returnsToTeam(draft)) return;
    if (draft && !this.form.querySelector('[aria-invalid]')) this.fields.restore(draft);
    this.form.addEventListener('input', ({ target }) => {
      this.changed();
      this.forgetMended();
      if (target === this.fields.amount) this.checkAmount(true);
    });
    this.form.addEventListener('change', ({ target }) => {
      this.changed();
      this.store.change({ draft: this.fields.draft() });
      if (target === this.fields.amount) this.checkAmount();
    });
    this.form.addEventListener('submit', (event) => {
      this.submitted(event);
    });
    // Without this handler, the Enter key would press the first button of the form, which opens the page of
    // another provider.
    if (this.model.card)
      this.form.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        void this.pay(false);
      });
    // After the back button, the browser may show the page in its previous state, which is still busy.
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) this.setBusy(false);
      void this.lookBack();
    });
    if (this.model.card) this.cardShown = this.showCard();
    if (this.model.matches)
      void import('./match.js').then(({ watchMatch }) => {
        watchMatch(this.model, this.fields, this.form);
      });
    this.changed();
    if (isKiosk())
      endAbandonedForm(
        this.form,
        this.model.texts,
        () => !this.busy && !this.redirecting && this.store.unsureFor === 0,
      );
    if (brought) this.hint(this.model.texts['outside'] ?? '');
    else this.offerAgain();
  }

  /** Shows a hint above the form. The donor can still use the form. */
  private hint(text: string): HTMLElement {
    const place = element('#recent');
    place.hidden = false;
    place.querySelector('span')?.append(text);
    return place;
  }

  /** Shows a typed amount that is not allowed at once at its field, and does not move the focus. */
  private checkAmount(isTyping = false): void {
    const problem = this.fields.amountProblem(isTyping);
    if (problem) this.show(problem, { focus: false });
  }

  /** Shows a donation that was just made in another tab, and offers the same amount again. Blocks nothing. */
  private offerAgain(): void {
    const { slug, pledge, currency, texts } = this.model;
    const recent = pledge === undefined && !this.store.get().sent ? recentDonation(slug) : undefined;
    if (recent?.currency !== currency) return;
    const amount = this.fields.money(recent.amount);
    const place = this.hint(fill(texts['recent.text'], { amount, age: ageOf(recent) }));
    const again = element('#recent-again');
    again.hidden = false;
    again.textContent = fill(texts['recent.again'], { amount });
    again.onclick = () => {
      place.hidden = true;
      this.fields.choose(recent.amount);
    };
  }

  private async showCard(): Promise<void> {
    const pay = element('#pay') as HTMLButtonElement;
    pay.hidden = false;
    pay.type = 'submit';
    element('#card').hidden = false;
    const showOr = () => {
      element('#or').hidden = false;
    };
    if (this.form.querySelector('[name=provider]')) showOr();
    try {
      this.card = await CardForm.mount(this.model, this.fields.sum, {
        onExpress: () => this.pay(true),
        mayExpress: () => this.isReady(),
        onWallets: showOr,
      });
      this.changed();
    } catch {
      // The script is blocked or there is no network. The parts of the page that work without the script stay usable.
      element('#card').replaceChildren(this.text('script'));
      element('#card').removeAttribute('aria-busy');
      pay.disabled = true;
    }
  }

  /** Updates the fee, the amount on the button and the amount of the card form after a change of the input. */
  private changed(): void {
    const amount = this.fields.sum;
    const { texts } = this.model;
    this.fields.showFee();
    this.fields.showOnWall();
    this.fields.showGiftAid();
    const label = document.querySelector('#pay-label');
    if (label && !this.busy)
      label.textContent =
        amount === undefined
          ? (texts['give'] ?? '')
          : fill(texts['giveAmount'], { amount: this.fields.money(amount) });
    if (amount !== undefined) this.card?.setAmount(amount);
  }

  private submitted(event: SubmitEvent): void {
    const button = event.submitter;
    const redirects = button instanceof HTMLButtonElement && button.name === 'provider';
    // For a provider with its own page, the browser submits the form itself, but only once and with valid fields.
    const mayLeave = this.redirecting || !this.store.get().sent;
    if (redirects && mayLeave && !this.busy && this.store.unsureFor === 0 && this.isReady()) {
      const { id, key } = this.store.change({ draft: this.fields.draft() });
      (element('[name=key]') as HTMLInputElement).value = key;
      (element('[name=checkout]') as HTMLInputElement).value = id;
      this.setBusy(true);
      return;
    }
    event.preventDefault();
    if (!redirects) void this.pay(false);
    else if (this.busy) return;
    else if (this.store.unsureFor > 0) this.waitIfUnsure();
    else if (this.isReady()) void this.redirect(button);
  }

  /** Switches to another provider after a card attempt. Cancels the card payment first, so that the donor cannot pay twice. */
  private async redirect(button: HTMLButtonElement): Promise<void> {
    this.setBusy(true);
    try {
      if (await this.isSettled()) return;
      await this.closeOpen();
      this.setBusy(false);
      this.redirecting = true;
      button.click();
    } catch (error) {
      this.setBusy(false);
      this.show({ text: this.words(error) });
    } finally {
      this.redirecting = false;
    }
  }

  private isReady(): boolean {
    const problem = this.store.unsureFor > 0 ? undefined : this.fields.problem();
    this.show(problem);
    return problem === undefined;
  }

  private async pay(express: boolean): Promise<void> {
    if (this.busy || !this.card || !this.isReady()) return;
    if (!express && isFramed() && this.card.mayLeave) {
      openOutside(this.fields.draft());
      return;
    }
    this.setBusy(true);
    try {
      if (await this.isSettled()) return;
      const wrong = express ? undefined : await this.card.problem();
      if (wrong === undefined) await this.payWith(this.card, express);
      else this.setBusy(false);
    } catch (error) {
      this.setBusy(false);
      this.show({ text: this.words(error) });
    }
  }

  private async payWith(card: CardForm, express: boolean): Promise<void> {
    const { body = '', intent } = await this.opened();
    if (!intent) throw new Error('no intent');
    this.store.change({ sent: true, unsure: Date.now(), body });
    const end = await card.pay(intent.clientSecret, this.thanks(intent.donorToken), express);
    await this.ended(end, intent.donorToken);
  }

  /** Returns the checkout with an intent for the current input: the previous intent if the input has not changed. */
  private async opened(again = false): Promise<Checkout> {
    const before = this.store.get();
    if (this.store.unsureFor > 0 && before.intent) return before;
    const body = this.fields.body(this.fields.value ?? 0, this.model.card?.provider ?? '', before.id);
    if (before.body !== undefined && before.body !== body) {
      await this.closeOpen();
      this.store.renew();
    }
    const { key, intent } = this.store.change({ body, draft: this.fields.draft() });
    if (intent) return this.store.get();
    try {
      const { clientSecret, donorToken } = await openIntent(key, body);
      return this.store.change({ intent: { clientSecret, donorToken } });
    } catch (error) {
      // The donation of this key was cancelled meanwhile. So request a new donation with a new key.
      if (again || !(error instanceof ApiError) || error.code !== 'IDEMPOTENCY_KEY_SPENT') throw error;
      this.store.renew();
      return await this.opened(true);
    }
  }

  private async ended(end: PaymentEnd, token: string): Promise<void> {
    if (end.kind === 'done') {
      this.leave(token);
      return;
    }
    // The donor may have paid, so the page must ask the server.
    if (end.kind === 'unsure' && (await this.isSettled().catch(() => false))) return;
    this.setBusy(false);
    if (end.kind === 'unsure') {
      await this.lookBack();
      return;
    }
    this.store.change({ unsure: 0 });
    this.panel.hide();
    this.fields.lock(false);
    this.show({ text: end.saidByForm ? this.text('notCharged') : (end.message ?? this.text('declined')) });
  }

  /** Asks the server about the started payment. If it has succeeded, opens the thank-you page and returns true. */
  private async isSettled(): Promise<boolean> {
    const { sent, intent } = this.store.get();
    if (!sent || !intent) return false;
    const { state } = await ownDonation(intent.donorToken);
    if (state === 'unconfirmed') throw new OfflineError('not known');
    if (SETTLED.has(state)) {
      this.leave(intent.donorToken);
      return true;
    }
    if (state === 'cancelled') this.store.renew();
    return false;
  }

  /**
   * Cancels the first payment, so that the donor can pay only the next one. Also cancels a declined payment, because its
   * last attempt may still wait at the bank.
   */
  private async closeOpen(): Promise<void> {
    const { sent, intent } = this.store.get();
    if (!sent || !intent) return;
    await cancelOwnDonation(intent.donorToken);
    this.store.renew();
  }

  /** Asks the server about an earlier payment of this checkout. If it was paid, shows this to the returning donor. */
  private async lookBack(): Promise<void> {
    const { sent, intent } = this.store.get();
    if (!sent || !intent) return;
    this.fields.lock(this.store.unsureFor > 0);
    try {
      const own = await ownDonation(intent.donorToken);
      if (SETTLED.has(own.state)) this.showAlready(intent.donorToken, own.amount);
      if (own.state === 'cancelled') this.store.renew();
      // The result is now known, so the input may change again.
      if (own.state === 'failed') this.store.change({ unsure: 0 });
      // Offers the choice also after a declined card, because the bank may wait for a second card of the donor.
      if (own.state === 'open' || own.state === 'failed') await this.offerOpen(intent, own.amount);
    } catch {
      // The server did not answer. The page asks again before the next payment.
    }
    this.waitIfUnsure();
  }

  /** Locks the form until a payment without an answer can no longer reach the provider. */
  private waitIfUnsure(): void {
    const unsureFor = this.busy || this.panel.isShown ? 0 : this.store.unsureFor;
    this.fields.lock(unsureFor > 0);
    if (unsureFor === 0) return;
    this.show({ text: this.text('unsure') });
    setTimeout(() => {
      this.waitIfUnsure();
      if (this.store.unsureFor === 0 && !this.busy) this.show(undefined);
    }, unsureFor + 100);
  }

  /**
   * Offers a choice if the first payment can still succeed, because the bank waits for the donor or the answer was lost.
   * The donor continues this payment, or cancels it and pays in another way.
   */
  private async offerOpen(intent: Intent, amount: number): Promise<void> {
    await this.cardShown;
    const { card } = this;
    const atBank = await card?.waitsForBank(intent.clientSecret);
    if (!atBank && this.store.unsureFor === 0) return;
    const { texts } = this.model;
    this.show(undefined);
    this.panel.show('wait', {
      title: texts['open.title'],
      text: fill(texts[atBank ? 'open.bank' : 'open.lost'], { amount: this.fields.money(amount) }),
      actions: [
        ...(card && atBank
          ? [{ label: texts['open.continue'], act: () => void this.resume(card, intent) }]
          : []),
        { label: texts['open.other'], act: () => void this.payOtherwise() },
      ],
    });
  }

  private async resume(card: CardForm, { clientSecret, donorToken }: Intent): Promise<void> {
    if (this.busy) return;
    this.setBusy(true);
    this.store.change({ unsure: Date.now() });
    try {
      await this.ended(await card.resume(clientSecret), donorToken);
    } catch {
      // The bank no longer waits for the donor. So ask the server for the result.
      this.setBusy(false);
      await this.lookBack();
    }
  }

  /** Cancels the first payment at its provider, then shows the form, which the donor can change again. */
  private async payOtherwise(): Promise<void> {
    if (this.busy) return;
    this.setBusy(true);
    try {
      if (await this.isSettled()) return;
      await this.closeOpen();
      this.store.change({ unsure: 0 });
      this.setBusy(false);
      this.showForm();
    } catch (error) {
      this.setBusy(false);
      this.panel.say(this.words(error));
    }
  }

  private showForm(): void {
    this.panel.hide();
    this.fields.lock(false);
    this.changed();
    this.fields.amount.focus();
  }

  private showAlready(token: string, amount: number): void {
    const { texts } = this.model;
    const begin = () => {
      this.store.begin();
      this.showForm();
    };
    this.panel.show('already', {
      title: texts['already.title'],
      text: fill(texts['already.text'], { amount: this.fields.money(amount) }),
      actions: [
        { label: texts['already.see'], href: this.thanks(token) },
        { label: texts['already.again'], act: begin },
      ],
    });
  }

  private leave(token: string): void {
    this.store.change({ unsure: 0 });
    // At a kiosk, the back button must not lead to the input of this donor.
    if (isKiosk()) location.replace(this.thanks(token));
    else location.assign(this.thanks(token));
  }

  private thanks(token: string): string {
    return this.model.thanks + thanksQuery(token, this.model.pledge);
  }

  private words(error: unknown): string {
    if (error instanceof OfflineError) return this.text(this.store.unsureFor > 0 ? 'unsure' : 'offline');
    if (!(error instanceof ApiError)) return this.text('unavailable');
    const fallback = error.status >= 500 ? 'unavailable' : 'invalid';
    return this.text(WORDS[error.code] ?? fallback);
  }

  private text(key: string): string {
    return this.model.texts[`error.${key}`] ?? '';
  }

  private setBusy(busy: boolean): void {
    this.busy = busy;
    this.form.setAttribute('aria-busy', String(busy));
    const pay = document.querySelector('#pay');
    pay?.setAttribute('aria-disabled', String(busy));
    const label = document.querySelector('#pay-label');
    if (label && busy) label.textContent = this.model.texts['busy'] ?? '';
    else this.changed();
  }

  /** Removes the shown error when its field has become valid. */
  private forgetMended(): void {
    if (this.shown?.field && this.fields.problem()?.text !== this.shown.text) this.show(undefined);
  }

  private show(problem: Problem | undefined, { focus = true } = {}): void {
    this.shown = problem;
    for (const marked of this.form.querySelectorAll('[aria-invalid=true]'))
      marked.removeAttribute('aria-invalid');
    this.alert.hidden = problem === undefined;
    this.alert.textContent = problem?.text ?? '';
    this.alert.classList.add('note--bad');
    if (!problem) return;
    const { field } = problem;
    // Shows the message below its field; without a field, above the pay button.
    const place = field?.closest('.field, .amounts');
    if (place) place.after(this.alert);
    else (document.querySelector('#pay') ?? element('.pay__act')).before(this.alert);
    field?.closest('details')?.setAttribute('open', '');
    if (field && field.type !== 'radio') {
      field.setAttribute('aria-invalid', 'true');
      field.setAttribute('aria-errormessage', 'problem');
    }
    if (!focus) return;
    (field ?? this.alert).focus();
    this.alert.scrollIntoView({ block: 'nearest' });
  }
}
