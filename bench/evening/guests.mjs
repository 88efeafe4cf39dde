// All people in the hall: tills that record cash and pledges, guests who pay by card and wallet, phones that read repeatedly,
// and an admin who lists, exports and prints receipts.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Addresses, Client } from './client.mjs';
import { now } from './figures.mjs';
import { ADMIN } from './servers.mjs';

/** The kinds of every ten gifts. */
const KINDS = ['cash', 'cash', 'cash', 'cash', 'card', 'card', 'card', 'wallet', 'wallet', 'pledge'];
const MESSAGES = [undefined, 'For the new roof', 'Keep up the good work', undefined];

export class Guests {
  /** All gifts: `{ kind, amount, donorName, donationId, at }`. `at` is the time of the payment. */
  gifts = [];
  #pending = new Set();

  constructor({ servers, figures, scale }) {
    this.servers = servers;
    this.figures = figures;
    this.scale = scale;
    this.addresses = new Addresses(servers.urls);
    this.desk = this.#client(0, '10.9.0.1');
    this.phones = Array.from({ length: scale.phones }, (_, index) =>
      this.#client(index, `10.2.${index >> 5}.${1 + (index & 31)}`),
    );
  }

  /** Creates an event, tills with one staff member each, and a round of pledges. */
  async open() {
    const desk = (method, path, body) => this.desk.ask('desk: prepare', method, path, { body });
    const login = await desk('POST', '/auth/login', ADMIN);
    this.desk.token = login.accessToken;
    this.event = await desk('POST', '/events', {
      name: 'Evening',
      slug: 'evening',
      goalAmount: 100_000_000,
      description: 'Dinner and auction',
    });
    this.tills = [];
    for (let index = 0; index < this.scale.tills; index++) {
      const member = await desk('POST', '/staff', { name: `Volunteer ${index}` });
      await desk('POST', `/events/${this.event.id}/staff/${member.id}`);
      const till = this.#client(index, `10.3.0.${1 + index}`);
      const session = await till.ask('till: sign in', 'POST', '/auth/staff/login', {
        body: { code: member.code, eventId: this.event.id },
      });
      till.token = session.accessToken;
      this.tills.push(till);
    }
    this.round = await desk('POST', '/pledge-rounds', {
      eventId: this.event.id,
      amount: 5_000,
      name: 'A new minibus',
    });
  }

  /** Starts another gift without waiting for its end. */
  give() {
    const number = this.gifts.length;
    const gift = {
      kind: KINDS[number % KINDS.length],
      amount: 500 + ((number * 37) % 9_500),
      donorName: `Guest ${number}`,
      message: MESSAGES[number % MESSAGES.length],
      key: randomUUID(),
    };
    this.gifts.push(gift);
    const made = this.#make
      [gift.kind](gift, number)
      .catch((error) => this.figures.uncured.push(`${gift.kind}: ${error.message}`))
      .finally(() => this.#pending.delete(made));
    this.#pending.add(made);
  }

  /** Resolves when every gift has an answer or was given up. */
  async settled() {
    await Promise.all(this.#pending);
  }

  /**
   * Starts the phones and the admin.
   * @returns a function that stops them and resolves after their last answer
   */
  start() {
    let isOpen = true;
    const lines = [
      ...this.phones.map((phone, index) => this.#poll(phone, index, () => isOpen)),
      ...[this.#lists(), this.#exports(), this.#receipts()].map(async ({ pauseMs, work }) => {
        while (isOpen) {
          await work();
          await sleep(pauseMs);
        }
      }),
    ];
    return async () => {
      isOpen = false;
      await Promise.all(lines);
    };
  }

  #make = {
    cash: async (gift, number) => {
      gift.at = now();
      await this.#record(gift, number, { type: 'cash' });
    },
    pledge: async (gift, number) => {
      const paddle = String(1 + (number % 900));
      await this.#record(gift, number, { type: 'pledge', paddle, roundId: this.round.id });
    },
    card: async (gift, number) => {
      const intent = await this.#intend(gift, number);
      if (!intent) return;
      gift.at = now();
      const id = intent.clientSecret.split('_secret_')[0];
      await this.#atProvider(`/sandbox/stripe/pay/${id}`);
    },
    wallet: async (gift, number) => {
      const intent = await this.#intend(gift, number);
      if (!intent) return;
      gift.at = now();
      await this.#atProvider(`/sandbox/paypal/approve/${intent.orderId}`);
      await this.#phoneOf(number).ask(
        'guest: wallet, capture',
        'POST',
        `/donations/wallet/${intent.orderId}/capture`,
      );
    },
  };

  async #record(gift, number, fields) {
    const { amount, donorName, message, key } = gift;
    const answer = await this.tills[number % this.tills.length].ask(
      `till: ${gift.kind}`,
      'POST',
      '/donations',
      {
        key,
        body: { amount, donorName, message, ...fields },
      },
    );
    gift.donationId = answer?.id;
  }

  async #intend(gift, number) {
    const { kind, amount, donorName, message, key } = gift;
    const answer = await this.#phoneOf(number).ask(`guest: ${kind}, intent`, 'POST', '/donations/intent', {
      key,
      body: { amount, method: kind, metadata: { eventId: this.event.id, donorName, message } },
    });
    gift.donationId = answer?.donationId;
    return answer;
  }

  /** Acts as a guest on a provider's page. If the answer to the first try was lost, the retry finds the action done. */
  async #atProvider(path) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.servers.sandbox.ask('POST', path);
      } catch (error) {
        if (attempt > 1 && error.status < 500) return undefined;
        if (attempt === 5) throw error;
        await sleep(500);
      }
    }
  }

  #phoneOf(number) {
    return this.phones[number % this.phones.length];
  }

  async #poll(phone, index, isOpen) {
    const paths = ['/events/evening', '/events/evening', '/events/public', '/events/evening/settings'];
    await sleep((index / this.phones.length) * this.scale.pollMs);
    for (let turn = index; isOpen(); turn++) {
      const next = now() + this.scale.pollMs;
      await phone.ask('phone: public read', 'GET', paths[turn % paths.length]);
      await sleep(Math.max(0, next - now()));
    }
  }

  #lists() {
    const work = () => this.desk.ask('desk: list', 'GET', `/donations?eventId=${this.event.id}&limit=50`);
    return { pauseMs: 1_000, work };
  }

  #exports() {
    const paths = { CSV: '/donations/export', ZIP: '/export/receipts/zip' };
    let turn = 0;
    const work = async () => {
      const [name, path] = Object.entries(paths)[turn++ % 2];
      await this.desk.ask(`desk: ${name}`, 'GET', `${path}?eventId=${this.event.id}`);
    };
    return { pauseMs: this.scale.exportPauseMs, work };
  }

  #receipts() {
    const work = async () => {
      const given = this.gifts.filter(({ kind, donationId }) => kind === 'cash' && donationId);
      const one = given[Math.floor(Math.random() * given.length)];
      if (one) await this.desk.ask('desk: receipt', 'GET', `/export/receipts/${one.donationId}`);
    };
    return { pauseMs: 2_000, work };
  }

  #client(index, address) {
    const { addresses, figures, servers } = this;
    return new Client({ addresses, figures, address, home: index % servers.urls.length });
  }
}
