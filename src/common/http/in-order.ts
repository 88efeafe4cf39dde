import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** Several steps as one: Express looks at every path, and opens a try, for each that it knows of. */
export const inOrder =
  (...steps: readonly RequestHandler[]): RequestHandler =>
  (request, response, next) => {
    run(steps, 0, request, response, next);
  };

function run(
  steps: readonly RequestHandler[],
  at: number,
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const step = steps[at];
  if (!step) next();
  else
    void step(request, response, (error?: unknown) => {
      if (error) next(error);
      else run(steps, at + 1, request, response, next);
    });
}
