import type { NextFunction, Request, Response } from 'express';
import type { Metrics } from './metrics.js';

/** What the log of a proxy writes for a client that went away before the answer was complete. */
const CLIENT_GONE = 499;

/** Measures every request to its end, by the template of its route, or by `locals.route` of its response; stands first. */
export const timeRequests =
  (metrics: Metrics) =>
  (request: Request, response: Response, next: NextFunction): void => {
    const stop = metrics.httpDuration.startTimer();
    response.once('close', () => {
      const { route } = response.locals as { route?: string };
      const { path = route } = (request.route ?? {}) as { path?: unknown };
      // What takes every path is no route of its own.
      const matched = typeof path === 'string' && !path.includes('*');
      stop({
        method: request.method,
        route: matched ? path : 'unmatched',
        status: response.writableFinished ? response.statusCode : CLIENT_GONE,
      });
    });
    next();
  };
