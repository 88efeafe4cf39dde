// With a browser, a server and a database, two processors are sometimes too slow. So in CI, Jest runs a failed test once more
// and prints its first failure. Tests of money, crashes and faults run only once.
import { expect, jest } from '@jest/globals';

const { testPath } = expect.getState();
if (process.env.CI && !/[\\/]test[\\/](money|crash|faults)[\\/]/.test(testPath ?? ''))
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
