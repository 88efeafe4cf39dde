import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ValidationPipe } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { quickCheckOf, validationPipe } from '../../src/common/validation/validation.pipe.js';

type Class = new () => object;
type Body = Record<string, unknown>;

const SOURCES = join(process.cwd(), 'src');
const pipe = validationPipe();
const ROUNDS = 400;

/** Always the same numbers from 0 to 1, so that a failure comes again. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const VALUES: readonly unknown[] = [
  ...[
    '',
    ' ',
    'Ada Lovelace',
    ' Ada ',
    'A\u030angstro\u0308m',
    'a\nb',
    'a\u0000b',
    '\ud800',
    '\u202eabc',
    '\u200d',
  ],
  ...[
    'cash',
    'check',
    'pledge',
    'other',
    'card',
    'eur',
    'EUR',
    'xxx',
    'winter-gala',
    'Winter Gala',
    '117',
    '1234567890123',
  ],
  ...[
    'ada@example.org',
    'ada@',
    ' ada@example.org ',
    'true',
    'false',
    '2500',
    '50',
    '1',
    '0',
    '-1',
    'id',
    'status,type',
  ],
  ...[
    '2026-11-21T19:29:58.000Z',
    '2026-02-31',
    '2026-11-21',
    '9999-12-31T23:59:59+14:00',
    'ADMIN',
    'active',
    'draft',
  ],
  ...[
    '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
    '0198F3C2-7A10-7C4E-9F00-5A3D1C2B4E6F',
    'x'.repeat(200),
    'x'.repeat(201),
  ],
  ...[
    '😀'.repeat(200),
    'x'.repeat(501),
    'a long password of 72',
    '123456',
    '1234',
    'https://example.org/logo.png',
  ],
  ...[0, 1, -1, 2500, 2.5, 1e12, 1e12 + 1, 2 ** 53, 1e300, true, false, null],
  ...[[], ['cash'], {}, { name: 'Ada' }, [[]], { a: { b: [null] } }],
];

/** What came of a body: the object that a route gets, told apart by class, names, their order and values, or the problem. */
async function outcome(transform: () => Promise<unknown>): Promise<unknown> {
  try {
    const made = (await transform()) as object;
    return { class: made.constructor.name, fields: Object.entries(made) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const bodyOf = (metatype: Class) => ({ type: 'body', metatype, data: undefined }) as const;
const byLibraries = (type: Class, body: Body) =>
  outcome(() => ValidationPipe.prototype.transform.call(pipe, structuredClone(body), bodyOf(type)));
const byPipe = (type: Class, body: Body) =>
  outcome(() => pipe.transform(structuredClone(body), bodyOf(type)));

const classes = new Map<string, Class>();
const fieldsOf = (type: Class): string[] => [
  ...new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(type, undefined as unknown as string, false, false)
      .map(({ propertyName }) => propertyName),
  ),
];

beforeAll(async () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.dto.ts'),
  );
  for (const file of files)
    for (const [name, exported] of Object.entries(
      (await import(join(SOURCES, file))) as Record<string, unknown>,
    ))
      if (typeof exported === 'function' && name.endsWith('Dto') && fieldsOf(exported as Class).length > 0)
        classes.set(name, exported as Class);
});

describe('a body that is checked at once', () => {
  it('comes out as the libraries make it, and what is wrong with it is said in their words', async () => {
    const random = numbers(20_261_121);
    const any = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const quickly = new Set<string>();
    let [right, wrong] = [0, 0];
    for (const [name, type] of classes) {
      const fields = fieldsOf(type);
      // What the class took once is changed in a field or two, so that right bodies are among them and nearly right ones.
      const taken: Body[] = [{}];
      for (let round = 0; round < ROUNDS; round++) {
        const body: Body = { ...any(taken) };
        const changes = 1 + Math.floor(random() * 2);
        for (let change = 0; change < changes; change++) {
          if (random() < 0.2) Reflect.deleteProperty(body, any(fields));
          else body[random() < 0.03 ? any(['extra', 'id', 'toString']) : any(fields)] = any(VALUES);
        }
        const said = await byPipe(type, body);
        expect([name, body, said]).toEqual([name, body, await byLibraries(type, body)]);
        if (quickCheckOf(type, {})?.(body)) quickly.add(name);
        const isRight = !Object.hasOwn(said as object, 'problem');
        if (isRight) {
          taken.push(body);
          right++;
        } else wrong++;
      }
    }
    expect(classes.size).toBeGreaterThan(15);
    expect(quickly.size).toBeGreaterThan(10);
    expect(right).toBeGreaterThan(1_000);
    expect(wrong).toBeGreaterThan(1_000);
  });

  it('of a record is compared in every field and in every way to be wrong', async () => {
    const type = classes.get('RecordDonationDto') as Class;
    const full: Body = {
      amount: 2500,
      type: 'pledge',
      donorName: ' Ada ',
      donorEmail: 'ada@example.org',
      isAnonymous: false,
      message: 'For the\nroof',
      eventId: 'winter-gala',
      confirmed: true,
      recordedAt: '2026-11-21T19:29:58.000Z',
      paddle: '117',
      roundId: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
      takenBy: '0198f3c2-7a10-7c4e-9f00-5a3d1c2b4e6f',
    };
    expect(Object.keys(full).sort()).toEqual(fieldsOf(type).sort());
    expect(quickCheckOf(type, {})?.(full)).toBeDefined();
    for (const field of Object.keys(full)) {
      const { [field]: _, ...without } = full;
      expect([field, await byPipe(type, without)]).toEqual([field, await byLibraries(type, without)]);
      for (const value of VALUES)
        for (const body of [
          { ...full, [field]: value },
          { amount: 1, type: 'cash', [field]: value },
        ])
          expect([field, value, await byPipe(type, body)]).toEqual([
            field,
            value,
            await byLibraries(type, body),
          ]);
    }
  });
});
