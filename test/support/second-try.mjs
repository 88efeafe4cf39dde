// A browser, a server and a database on two processors do not always keep the time that a person would: in CI a test of
// pages or of the live channel that fails is tried once more, and its failure is printed. Tests of money never are.
import { expect, jest } from '@jest/globals';

const { testPath } = expect.getState();
if (process.env.CI && /[\\/]test[\\/](pages|live)[\\/]/.test(testPath ?? ''))
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
