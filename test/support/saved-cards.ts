import { createHash } from 'node:crypto';
import { CardCharges } from '../../src/pledges/cards/card-charges.service.js';
import { CardEndings } from '../../src/pledges/cards/card-endings.service.js';
import { ChargePace } from '../../src/pledges/cards/charge-pace.js';
import type { CardBatchDto, ReadyPledgeList } from '../../src/pledges/dto/card-charge.dto.js';
import type { Caller } from './bearer.js';
import { sql } from './fixtures.js';
import type { PaymentsApp } from './payments.js';
import { recordPledge, someAddress } from './pledges.js';
import { until } from './until.js';

/** Numbers of cards by their result. */
export const CARDS = {
  pays: '4242424242424242',
  /** Saved without 3-D Secure only after the bank page; every charge asks for the owner. */
  asksOwner: '4000002760003184',
  /** Can be saved, and every charge is declined. */
  declines: '4000000000000341',
} as const;

export interface CardGuest {
  readonly id: string;
  readonly paddle: string;
  readonly email: string;
  /** Address of the guest's page. */
  readonly url: string;
  /** Token in the address. */
  readonly token: string;
}

const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;

/** Saves cards of guests as their browsers do, announces and makes the charges. */
export function cardEvening(
  app: PaymentsApp,
  admin: Caller,
  event: { readonly id: string; readonly slug: string },
) {
  let paddles = 100;
  const newGuest = async (fields: object = {}): Promise<CardGuest> => {
    paddles += 1;
    const sent = {
      name: `Guest ${paddles}`,
      email: someAddress(),
      paddle: String(paddles),
      ...fields,
    };
    const { body } = await admin.post(`/events/${event.id}/guests`, sent).expect(201);
    const { id, paddle, email } = body as { id: string; paddle: string; email: string };
    const link = await admin.get(`/guests/${id}/card`).expect(200);
    const { url } = link.body as { url: string };
    return { id, paddle, email, url, token: new URL(url).searchParams.get('guest') ?? '' };
  };
  /** The digest of the text on the page, as the browser sends it. */
  const digestOf = async ({ url }: Pick<CardGuest, 'url'>): Promise<string> => {
    const { text } = await app.http.get(pathOf(url)).expect(200);
    const [, model = '{}'] = /data-model="([^"]*)"/.exec(text) ?? [];
    return (JSON.parse(model.replaceAll('&quot;', '"').replaceAll('&#34;', '"')) as { textDigest: string })
      .textDigest;
  };
  const begin = async (guest: CardGuest, fields: object = {}) =>
    app.http
      .post(`/donate/${event.slug}/ready`)
      .send({ guest: guest.token, textDigest: await digestOf(guest), language: 'en', ...fields });
  const save = async (guest: CardGuest, number: string = CARDS.pays): Promise<boolean> => {
    const { body } = await begin(guest);
    const { clientSecret } = body as { clientSecret: string };
    const setup = app.sandbox.stripe.confirmSetup(clientSecret, { number });
    if (setup.status === 'requires_action') app.sandbox.stripe.authenticateSetup(clientSecret);
    const saved = await app.http
      .post(`/donate/${event.slug}/ready/saved`)
      .send({ guest: guest.token })
      .expect(200);
    return (saved.body as { saved: boolean }).saved;
  };
  const pledge = (guest: Pick<CardGuest, 'paddle'>, fields: object = {}) =>
    recordPledge(admin, { eventId: event.id, paddle: guest.paddle, donorName: undefined, ...fields });
  const ready = async () =>
    (await admin.get(`/card-charges/ready?eventId=${event.id}`).expect(200)).body as ReadyPledgeList;
  const start = async (by: Caller = admin): Promise<CardBatchDto> => {
    const { pledges, total } = await ready();
    const { body } = await by.post('/card-charges', { eventId: event.id, pledges, total }).expect(201);
    return body as CardBatchDto;
  };
  /** Waits until the notices are sent, and moves them into the past. */
  const noticed = async (hours = 25) => {
    await until(
      async () =>
        (await sql(app, "SELECT 1 FROM email WHERE kind = 'charge_notice' AND state = 'queued'")).length ===
        0,
      'the notices',
    );
    await sql(
      app,
      "UPDATE email SET sent_at = sent_at - make_interval(hours => $1) WHERE kind = 'charge_notice' AND state = 'sent'",
      [hours],
    );
  };
  const charges = () => app.app.get(CardCharges, { strict: false });
  /** Makes all charges that are due. The server makes them every ten seconds too, so a run may find the lock taken. */
  const charge = async () => {
    app.app.get(ChargePace, { strict: false }).betweenMs = 0;
    await until(async () => {
      await charges().run();
      return (
        (
          await sql(
            app,
            `SELECT 1 FROM card_charge charge LEFT JOIN email ON email.id = charge.email_id
              WHERE charge.next_try_at <= now() AND (charge.state = 'charging'
                OR (charge.state = 'announced' AND email.sent_at <= now() - interval '24 hours'))`,
          )
        ).length === 0
      );
    }, 'all charges');
  };
  const stateOf = async (pledgeId: string) =>
    (
      await sql<{ state: string; code: string | null; donation_id: string | null }>(
        app,
        'SELECT state, code, donation_id FROM card_charge WHERE pledge_id = $1',
        [pledgeId],
      )
    )[0];
  const endings = () => app.app.get(CardEndings, { strict: false });
  return { newGuest, digestOf, begin, save, pledge, ready, start, noticed, charge, stateOf, endings, pathOf };
}

export const digestOfText = (text: string): string => createHash('sha256').update(text).digest('hex');
