import { loadStripe } from '@stripe/stripe-js/pure';
import type { StripeElementLocale } from '@stripe/stripe-js';
import type { ReadyModel } from '../../src/pages/ready/ready-forms.js';
import { ApiError, ask } from './api.js';
import { appearance, loadScript } from './card.js';

const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify(body),
});

/** The form that saves a card. The card goes from the provider's form to the provider, never to this service. */
export async function startReady(model: ReadyModel): Promise<void> {
  const { guest, texts } = model;
  const form = document.querySelector<HTMLFormElement>('#ready');
  const button = document.querySelector<HTMLButtonElement>('#pay');
  const problem = document.querySelector<HTMLElement>('#problem');
  const email = document.querySelector<HTMLInputElement>('#email');
  if (!form || !button || !problem) return;
  const say = (text: string) => {
    problem.textContent = text;
    problem.hidden = text === '';
  };
  const busy = (isBusy: boolean) => {
    button.disabled = isBusy;
    button.textContent = isBusy ? texts.busy : texts.save;
  };
  try {
    if (model.scriptUrl !== undefined) await loadScript(model.scriptUrl);
    const stripe = await loadStripe(model.publishableKey, { locale: model.locale as StripeElementLocale });
    if (!stripe) throw new Error('no card form here');
    const elements = stripe.elements({
      mode: 'setup',
      currency: model.currency,
      setupFutureUsage: 'off_session',
      allowedPaymentMethodTypes: ['card'],
      appearance: appearance(),
    });
    const card = elements.create('payment', { layout: 'tabs' });
    const place = document.querySelector('#card');
    card.on('ready', () => {
      place?.removeAttribute('aria-busy');
      busy(false);
    });
    place?.replaceChildren();
    card.mount('#card');
    const save = async () => {
      if (email && !email.checkValidity()) {
        email.setAttribute('aria-invalid', 'true');
        email.focus();
        say(texts.invalid);
        return;
      }
      const { error: incomplete } = await elements.submit();
      if (incomplete) return;
      const { clientSecret } = await ask<{ clientSecret: string }>(
        location.pathname,
        json({ guest, textDigest: model.textDigest, language: model.locale, email: email?.value ?? null }),
      );
      const here = `${location.origin}${location.pathname}?guest=${guest}`;
      const { error } = await stripe.confirmSetup({
        elements,
        clientSecret,
        confirmParams: { return_url: here },
        redirect: 'if_required',
      });
      if (error) {
        say(texts.failed);
        return;
      }
      const { saved } = await ask<{ saved: boolean }>(`${location.pathname}/saved`, json({ guest }));
      if (saved) location.assign(here);
      else say(texts.failed);
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      say('');
      busy(true);
      save()
        .catch((error: unknown) => {
          const isChanged = error instanceof ApiError && error.code === 'CARD_TEXT_CHANGED';
          say(isChanged ? texts.changed : texts.unavailable);
        })
        .finally(() => busy(false));
    });
  } catch {
    say(texts.unavailable);
  }
}
