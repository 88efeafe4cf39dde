// A browser, a server and a database on two processors do not always keep the time that a person would: in CI a test that
// fails is tried once more, and its failure is printed. Tests of money, of crashes and of faults never are.
import { expect, jest } from '@jest/globals';

const { testPath } = expect.getState();
if (process.env.CI && !/[\\/]test[\\/](money|crash|faults)[\\/]/.test(testPath ?? ''))
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
