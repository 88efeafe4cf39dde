import { describe, expect, it } from '@jest/globals';
import { sql } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withEvent } from '../support/setup.js';

const { app, admin, event } = withEvent({
  start: startPaymentsApp,
  fields: { name: 'Picture & Roof' },
});

const page = async (query = '') => (await app.http.get(`/donate/${event.slug}${query}`).expect(200)).text;

describe('the source of a donor', () => {
  const sources = async () =>
    (
      await sql<{ source: string | null }>(
        app,
        'SELECT source FROM donation WHERE event_id = $1 ORDER BY id DESC',
        [event.id],
      )
    ).map(({ source }) => source);
  const give = (fields: object) =>
    app.http
      .post(`/donate/${event.slug}`)
      .type('form')
      .send({ key: `k-${Math.random()}`, preset: '2500', provider: 'paypal', ...fields });
  const intent = (source: unknown) =>
    app.http
      .post('/donations/intent')
      .send({ amount: 2500, metadata: { eventId: event.id, ...(source !== undefined && { source }) } });

  it('a form without a script stores the source of its link', async () => {
    expect(await page('?from=Table-7')).toContain('name="from" value="table-7"');
    await give({ from: 'table-7' }).expect(303);
    expect((await sources())[0]).toBe('table-7');
    const again = await give({ from: 'table-7', email: 'nobody' }).expect(400);
    expect(again.text).toContain('name="from" value="table-7"');
  });

  it('a change of the language keeps the source', async () => {
    await admin
      .patch(`/events/${event.id}/settings`, { locales: { default: 'en', supported: ['en', 'de'] } })
      .expect(200);
    expect(await page('?from=table-7')).toContain('?lang=de&amp;from=table-7"');
    expect(await page()).toContain('?lang=de"');
  });

  it.each(['<script>alert(1)</script>', 'table 7', '=cmd', '-7', 'tisch-ä', 'x'.repeat(41), '', null])(
    'an intent with %j as source is accepted without a source',
    async (source) => {
      await intent(source).expect(201);
      expect((await sources())[0]).toBeNull();
    },
  );

  it.each([[['table-7']], [7], [{ a: 1 }]])('an intent with %j as source is refused', async (source) => {
    await intent(source).expect(400);
  });

  it.each(['%3Cscript%3E', 'table%207', 'x'.repeat(41), '&from=table-8'])(
    'the donate page ignores ?from=%s',
    async (source) => {
      expect(await page(`?from=${source}`)).toContain('name="from" value=""');
    },
  );

  it('a source is shown to the office and in the files, and not in public', async () => {
    const { body } = await intent('Poster_A3').expect(201);
    const { clientSecret, donationId, donorToken } = body as Record<string, string>;
    app.sandbox.stripe.pay(clientSecret ?? '');
    await app.sandbox.settled();
    const { body: list } = await admin.get(`/donations?eventId=${event.id}`).expect(200);
    const { data } = list as { data: { id: string; source?: string }[] };
    expect(data.find(({ id }) => id === donationId)?.source).toBe('poster_a3');
    const csv = await admin.get(`/donations/export?eventId=${event.id}`).expect(200);
    expect(csv.text).toMatch(/,poster_a3,/);
    const own = await app.http.get(`/donations/mine/${donorToken}`).expect(200);
    expect(own.text).not.toContain('poster_a3');
    const wall = await app.http.get(`/wall/${event.slug}`).expect(200);
    expect(wall.text).not.toContain('poster_a3');
    const { body: statistics } = await admin.get(`/statistics?eventId=${event.id}`).expect(200);
    const [{ bySource }] = (statistics as { byCurrency: [{ bySource: unknown }] }).byCurrency;
    expect(bySource).toEqual([{ source: 'poster_a3', count: 1, amount: 2500 }]);
  });
});

describe('the lines next to the offered amounts', () => {
  it('the donate page shows the line of each offered amount as text', async () => {
    await admin
      .patch(`/events/${event.id}/settings`, {
        donation: { presets: [2_500, 5_000], presetLines: { 5_000: '<b>one lamp</b>', 9_900: 'nothing' } },
      })
      .expect(200);
    const text = await page();
    expect(text).toContain('<span class="amount__line" dir="auto">&lt;b&gt;one lamp&lt;/b&gt;</span>');
    expect(text.match(/amount__line/g)).toHaveLength(1);
    expect(text).not.toContain('nothing');
  });

  it('an event adds its lines to the lines of the organization, and null removes a line', async () => {
    const lines = async (body: object) => {
      const { body: answer } = await admin.patch(`/events/${event.id}/settings`, {
        donation: { presetLines: body },
      });
      return (answer as { donation: { presetLines: object } }).donation.presetLines;
    };
    await admin.patch('/settings/global', { donation: { presetLines: { 1_000: 'one meal' } } }).expect(200);
    expect(await lines({ 5_000: 'one lamp', 9_900: null })).toEqual({ 1000: 'one meal', 5000: 'one lamp' });
    expect(await lines({ 5_000: '' })).toEqual({ 1000: 'one meal' });
  });
});

describe('the picture of the event', () => {
  const setPicture = (picture: string | null) =>
    admin.patch(`/events/${event.id}/settings`, { theme: { assets: { picture } } }).expect(200);
  const read = async () => {
    const { text, headers } = await app.http.get(`/donate/${event.slug}`).expect(200);
    return { text, images: /img-src ([^;]*)/.exec(headers['content-security-policy'] ?? '')?.[1] };
  };

  it('a stored picture is on the page and is the image of the link preview, with its full address', async () => {
    await setPicture('/images/abc.webp');
    const { text, images } = await read();
    expect(text).toContain('class="story__picture" src="/images/abc.webp" alt=""');
    expect(text).toMatch(/<meta property="og:image" content="http:[^"]+[/]images[/]abc.webp" [/]>/);
    expect(text).toContain('<meta property="twitter:card" content="summary_large_image" />');
    expect(text).toContain(`<meta property="og:title" content="Picture &amp; Roof" />`);
    expect(images).toBe("'self' data:");
  });

  it('a picture of another site is the only addition to the content policy', async () => {
    await setPicture('https://cdn.example.org/roof.jpg?w=9');
    const { text, images } = await read();
    expect(text).toContain('<meta property="og:image" content="https://cdn.example.org/roof.jpg?w=9" />');
    expect(images).toBe("'self' data: https://cdn.example.org");
  });

  it('without a picture, the link preview has only texts', async () => {
    await setPicture(null);
    const { text, images } = await read();
    expect(text).not.toMatch(/story__picture|og:image|twitter:card/);
    expect(text).toContain('og:description');
    expect(images).toBe("'self' data:");
  });
});

describe('the link to the page for monthly donations', () => {
  it('the thank-you page of a paid donation links to the page, and no other page does', async () => {
    const monthlyUrl = 'https://www.example.org/monthly?a=1&b=2';
    await admin.patch(`/events/${event.id}/settings`, { donation: { monthlyUrl } }).expect(200);
    const { body } = await app.http
      .post('/donations/intent')
      .send({ amount: 2500, metadata: { eventId: event.id } })
      .expect(201);
    const { clientSecret, donorToken } = body as Record<string, string>;
    const thanks = async () =>
      (await app.http.get(`/donate/${event.slug}/thanks?donation=${donorToken}`).expect(200)).text;
    const link =
      'href="https://www.example.org/monthly?a=1&amp;b=2" target="_blank" rel="noopener noreferrer"';
    expect(await thanks()).not.toContain(link);
    app.sandbox.stripe.pay(clientSecret ?? '');
    await app.sandbox.settled();
    const text = await thanks();
    expect(text.replace(/\s+/g, ' ')).toContain(link);
    expect(text).toContain('Continue at www.example.org');
    expect(await page()).not.toContain('monthly');
    await admin.patch(`/events/${event.id}/settings`, { donation: { monthlyUrl: '' } }).expect(200);
    expect(await thanks()).not.toContain('Donate every month');
  });
});
