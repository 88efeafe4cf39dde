import { describe, expect, it } from '@jest/globals';
import { BadRequestException, InternalServerErrorException } from '@nestjs/common';
import { ConflictError, TooManyRequestsError, UnavailableError } from './domain-errors.js';
import { describeError } from './error.filter.js';

describe('the body of an error', () => {
  it('contains the status, message and code of a domain error', () => {
    expect(describeError(new ConflictError('SLUG_TAKEN', 'Taken'))).toEqual({
      body: { statusCode: 409, message: 'Taken', error: 'Conflict', code: 'SLUG_TAKEN' },
      retryAfter: undefined,
    });
  });

  it('contains Retry-After', () => {
    expect(describeError(new TooManyRequestsError(7)).retryAfter).toBe(7);
    expect(describeError(new UnavailableError('AWAY', 'Away')).retryAfter).toBe(5);
  });

  it('joins the messages that a library lists', () => {
    expect(describeError(new BadRequestException(['a is wrong', 'b too'])).body).toEqual({
      statusCode: 400,
      message: 'a is wrong; b too',
      error: 'Bad Request',
    });
  });

  it.each([
    ['an unknown error', new Error('SELECT * FROM admin failed at /srv/app/x.js:1')],
    ['a text', 'secret'],
    ['nothing', undefined],
    ['an object', { message: 'secret' }],
    ['a 5xx of a library', Object.assign(new Error('secret'), { status: 502 })],
    ['a 4xx that may not be shown', Object.assign(new Error('secret'), { status: 400, expose: false })],
  ])('reveals nothing about %s', (_, thrown) => {
    expect(describeError(thrown)).toEqual({
      body: { statusCode: 500, message: 'Internal Server Error', error: 'Internal Server Error' },
    });
  });

  it('keeps the status of an intended 5xx', () => {
    expect(describeError(new InternalServerErrorException()).body.statusCode).toBe(500);
  });

  it('uses the status of a 4xx of a library, but not its message', () => {
    const tooLarge = Object.assign(new Error('limit: 102400'), { status: 413, type: 'entity.too.large' });
    expect(describeError(tooLarge).body).toEqual({
      statusCode: 413,
      message: 'The body is too large',
      error: 'Payload Too Large',
    });
    expect(describeError(new URIError('URI malformed')).body.statusCode).toBe(400);
  });

  it.each([
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('terminating'), { code: '57P01' }),
    Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' }),
    Object.assign(new Error('cannot execute INSERT in a read-only transaction'), { code: '25006' }),
    Object.assign(new Error('password authentication failed'), { code: '28P01' }),
    Object.assign(new Error('query_wait_timeout'), { code: '08P01' }),
    new Error('Connection terminated unexpectedly'),
    new Error('wrapped', { cause: Object.assign(new Error('inner'), { code: 'ECONNRESET' }) }),
    new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' })], ''),
  ])('is 503 with Retry-After if a dependency is down: %s', (thrown) => {
    expect(describeError(thrown)).toMatchObject({
      body: { statusCode: 503, error: 'Service Unavailable', code: 'DEPENDENCY_UNAVAILABLE' },
      retryAfter: 5,
    });
  });
});
