import { describe, expect, it } from '@jest/globals';
import { connectProblem, explicitTls } from './connect.js';

describe('explicitTls', () => {
  const address = 'postgresql://u:p%40w@db.example:5432/donations';

  it.each([
    ['?sslmode=require', '?sslmode=verify-full'],
    ['?sslmode=prefer&schema=a', '?sslmode=verify-full&schema=a'],
    ['?sslmode=verify-ca', '?sslmode=verify-full'],
    ['?sslmode=disable', '?sslmode=disable'],
    ['?sslmode=no-verify', '?sslmode=no-verify'],
    ['?sslmode=require&uselibpqcompat=true', '?sslmode=require&uselibpqcompat=true'],
    ['', ''],
  ])('%s is %s', (given, explicit) => {
    expect(explicitTls(address + given)).toBe(address + explicit);
  });
});

describe('connectProblem', () => {
  it('reports the error of one of several addresses', () => {
    const each = ['::1', '127.0.0.1'].map((ip) => new Error(`connect ECONNREFUSED ${ip}:5432`));
    expect(connectProblem(new AggregateError(each))).toEqual({
      reason: 'connect ECONNREFUSED ::1:5432',
      final: false,
    });
  });

  it('does not report a socket that does not exist yet as a missing file', () => {
    const error = Object.assign(new Error('connect ENOENT /run/postgresql/.s.PGSQL.5432'), {
      code: 'ENOENT',
      syscall: 'connect',
    });
    expect(connectProblem(error).final).toBe(false);
  });
});
