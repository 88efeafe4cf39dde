import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'api-changes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Schema = Record<string, unknown>;

/** A small API. A test changes one of its parts. */
function api() {
  return {
    version: '1.2.0',
    parameter: {
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', maximum: 100 },
    } as Schema,
    body: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: 50 },
        kind: { type: 'string', enum: ['cash', 'card'] },
      },
    } as { type: string; required: string[]; properties: Record<string, Schema> },
    answer: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string' }, note: { type: ['string', 'null'] } },
    } as { type: string; required: string[]; properties: Record<string, Schema> },
    more: {} as Schema,
  };
}
type Api = ReturnType<typeof api>;

const content = (name: string) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
});

const openapi = ({ version, parameter, body, answer, more }: Api) => ({
  openapi: '3.1.0',
  info: { title: 'Test', version },
  paths: {
    '/gifts': {
      post: {
        parameters: [parameter],
        requestBody: { required: true, content: content('Body') },
        responses: { 201: { description: 'Made', content: content('Answer') } },
      },
      ...more,
    },
  },
  components: { schemas: { Body: body, Answer: answer } },
});

const asyncapi = ({ version, answer }: Api) => ({
  asyncapi: '3.0.0',
  info: { title: 'Test', version },
  channels: { room: { messages: { made: { $ref: '#/components/messages/made' } } } },
  operations: { tell: { action: 'send', messages: [{ $ref: '#/channels/room/messages/made' }] } },
  components: {
    messages: { made: { name: 'gift.made', payload: { $ref: '#/components/schemas/Answer' } } },
    schemas: { Answer: answer },
  },
});

/** Compares the API before and after a change as the check does. */
function check(change: (changed: Api) => void, documentOf: (api: Api) => object = openapi) {
  const after = api();
  change(after);
  const files = [api(), after].map((one, index) => {
    const file = join(folder, `${index}.json`);
    writeFileSync(file, JSON.stringify(documentOf(one)));
    return file;
  });
  const { status, stderr } = spawnSync(process.execPath, ['scripts/check-api.mjs', ...files], {
    encoding: 'utf8',
  });
  return { status, lines: stderr.split('\n').flatMap((line) => /json: (.*)/.exec(line)?.[1] ?? []) };
}

describe('the check of the API against the last release', () => {
  it.each<[string, (changed: Api) => void, string]>([
    [
      'a removed field of an answer',
      ({ answer }) => delete answer.properties.note,
      'POST /gifts, answer 201, note: removed',
    ],
    [
      'a field of an answer that may be absent now',
      ({ answer }) => (answer.required = []),
      'POST /gifts, answer 201, required.0: id may be absent',
    ],
    [
      'a field of an answer that may be null now',
      ({ answer }) => (answer.properties.id = { type: ['string', 'null'] }),
      'POST /gifts, answer 201, id.type: type string became string,null',
    ],
    [
      'a narrower type in a request',
      ({ body }) => (body.properties.name = { type: 'integer', maxLength: 50 }),
      'POST /gifts, body, name.type: type string became integer',
    ],
    [
      'a shorter limit in a request',
      ({ body }) => (body.properties.name = { type: 'string', maxLength: 40 }),
      'POST /gifts, body, name.maxLength: maxLength is 40',
    ],
    [
      'a word that a request may no longer use',
      ({ body }) => (body.properties.kind = { type: 'string', enum: ['cash'] }),
      'POST /gifts, body, kind.enum.1: the word card is refused',
    ],
    [
      'a new required field of a request',
      ({ body }) => {
        body.properties.note = { type: 'string' };
        body.required.push('note');
      },
      'POST /gifts, body, required.1: note is required',
    ],
    [
      'a removed field of a request',
      ({ body }) => delete body.properties.kind,
      'POST /gifts, body, kind: removed',
    ],
    [
      'a parameter that is required now',
      ({ parameter }) => (parameter.required = true),
      'POST /gifts, parameter, limit.required: required now',
    ],
  ])('fails for %s', (_, change, line) => {
    expect(check(change)).toEqual({ status: 1, lines: [line] });
  });

  it.each<[string, (changed: Api) => void]>([
    ['a new optional field of a request', ({ body }) => (body.properties.note = { type: 'string' })],
    [
      'a new field of an answer',
      ({ answer }) => {
        answer.properties.total = { type: 'integer' };
        answer.required.push('total');
      },
    ],
    [
      'a wider type in a request',
      ({ body }) => (body.properties.name = { type: ['string', 'null'], maxLength: 50 }),
    ],
    ['a narrower type in an answer', ({ answer }) => (answer.properties.note = { type: 'string' })],
    ['a longer limit in a request', ({ body }) => (body.properties.name = { type: 'string', maxLength: 60 })],
    ['a new route', ({ more }) => (more.get = { responses: { 200: { description: 'Read' } } })],
    ['a new description', ({ parameter }) => (parameter.description = 'How many')],
  ])('passes for %s', (_, change) => {
    expect(check(change)).toEqual({ status: 0, lines: [] });
  });

  it('passes for a removed field if the first number of the version is higher', () => {
    const change = (changed: Api) => {
      delete changed.answer.properties.note;
      changed.version = '2.0.0';
    };
    expect(check(change).status).toBe(0);
    expect(check((changed) => (changed.version = '1.3.0')).status).toBe(0);
  });

  it('judges messages of the live channel by the same rules', () => {
    expect(check(({ answer }) => delete answer.properties.note, asyncapi)).toEqual({
      status: 1,
      lines: ['GET /gift.made, answer 200, note: removed'],
    });
    expect(check(({ answer }) => (answer.properties.total = { type: 'integer' }), asyncapi).status).toBe(0);
  });
});
