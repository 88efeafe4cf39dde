import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Counters } from '../../redis/counters.js';
import { ProviderQuestions } from './provider-questions.js';

/** Counters in memory, without Redis. */
const questions = () => new ProviderQuestions(new Counters({ client: undefined } as never));

/** A provider that counts requests and answers with their number. */
function provider() {
  const asked = { times: 0 };
  const ask = () => Promise.resolve((asked.times += 1));
  return { asked, ask };
}

describe('ProviderQuestions for one payment', () => {
  it('sends one request per second when many donors look at the payment', async () => {
    const { asked, ask } = provider();
    const limited = questions();
    const began = performance.now();
    while (performance.now() - began < 2_500) {
      await Promise.all(Array.from({ length: 20 }, () => limited.ask('payment', ask)));
      await pause(20);
    }
    expect(asked.times).toBe(3);
  });

  it('sends a new request after one second for a donor who has just paid', async () => {
    const { asked, ask } = provider();
    const limited = questions();
    const began = performance.now();
    expect(await limited.ask('payment', ask)).toBe(1);
    const notBefore = performance.now();
    const all = Array.from({ length: 5 }, () => limited.ask('payment', ask, { notBefore }));
    expect(await Promise.all(all)).toEqual([2, 2, 2, 2, 2]);
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    expect(asked.times).toBe(2);
  });

  it('shares a failed answer for one second', async () => {
    const limited = questions();
    let asked = 0;
    const fail = () => {
      asked += 1;
      return Promise.reject(new Error('away'));
    };
    for (let look = 0; look < 3; look++) await expect(limited.ask('payment', fail)).rejects.toThrow('away');
    expect(asked).toBe(1);
  });

  it('waits for a request in progress, even a slow one', async () => {
    const limited = questions();
    let asked = 0;
    const slow = async () => {
      asked += 1;
      await pause(1_500);
      return asked;
    };
    const first = limited.ask('payment', slow);
    await pause(1_200);
    expect(await limited.ask('payment', slow)).toBe(1);
    expect(await first).toBe(1);
  });
});

describe('ProviderQuestions for all payments', () => {
  it('sends no requests beyond the budget of the process', async () => {
    const { asked, ask } = provider();
    const limited = questions();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, payment) => limited.ask(String(payment), ask)),
    );
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(150);
    expect(asked.times).toBe(50);
    await pause(500);
    for (let payment = 200; payment < 300; payment++) await limited.ask(String(payment), ask);
    expect(asked.times).toBeGreaterThanOrEqual(59);
    expect(asked.times).toBeLessThan(75);
  });
});
