// A browser, a server and a database on two processors are sometimes too slow. In CI a failed test runs once more, and
// its failure is printed. Tests of money, crashes and faults run once.
import { expect, jest } from '@jest/globals';

const { testPath } = expect.getState();
if (process.env.CI && !/[\\/]test[\\/](money|crash|faults)[\\/]/.test(testPath ?? ''))
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
