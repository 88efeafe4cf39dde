import type { INestApplication } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LimitOutsideRoutes } from './auth/limits/outside-routes.js';
import { lineOf } from './common/http/answers.js';
import { formFor, type KeptAnswer, KeptAnswers, matches } from './common/http/kept-answers.js';
import {
  linesForOrigin,
  originAllowed,
  REQUEST_ID,
  requestIdOf,
  VARY_BY_ORIGIN,
} from './common/http/request-entry.js';
import type { FrontDoor } from './common/http/prepared-express.adapter.js';
import { Metrics } from './common/metrics/metrics.js';
import { AppConfig } from './config/app-config.js';
import type { RateDecision } from './redis/counters.js';

/**
 * Answers reads of the public that are kept as bytes, before anything else looks at the request: thousands of phones
 * ask for the same few addresses. It counts them and answers with the headers that the routes would; whatever is
 * special about a request leaves it to them.
 */
export function frontDoor(app: INestApplication): FrontDoor {
  const config = app.get(AppConfig);
  const answers = app.get(KeptAnswers);
  const limits = app.get(LimitOutsideRoutes);
  const metrics = config.metricsPort === undefined ? undefined : app.get(Metrics);

  const send = (request: Request, response: Response, answer: KeptAnswer, limit: RateDecision): void => {
    const began = metrics && performance.now();
    const { headers } = request;
    const form = formFor(answer, headers['accept-encoding']);
    const { origin } = headers;
    const cors = originAllowed(config, origin);
    const known = headers['if-none-match'];
    const isKnown = known !== undefined && matches(known, form.etag);
    response.isSecured = true;
    response.lines =
      lineOf(REQUEST_ID, requestIdOf(request)) +
      (cors ? linesForOrigin(origin) : '') +
      varyLine(cors, answer.isLarge) +
      (isKnown ? lineOf('ETag', form.etag) : form.lines);
    limits.describe(request, response, limit);
    if (isKnown) {
      response.statusCode = 304;
      response.end();
    } else response.end(form.body);
    if (metrics && began !== undefined)
      metrics.httpDuration.observe(
        { method: 'GET', route: answer.route, status: isKnown ? 304 : 200 },
        (performance.now() - began) / 1_000,
      );
  };

  return (request, response, toRoutes) => {
    const { url } = request;
    const answer = isSpecial(request) ? undefined : answers.at(url);
    if (!answer) {
      toRoutes();
      return;
    }
    const counted = (limit: RateDecision): void => {
      const stillGood = answers.at(url);
      // What is beyond the limit the routes refuse, and count once more: it is beyond it either way.
      if (limit.allowed && stillGood) send(request, response, stillGood, limit);
      else toRoutes();
    };
    const limit = limits.hit(request);
    if (limit instanceof Promise) limit.then(counted).catch(toRoutes);
    else if (limit.allowed) send(request, response, answer, limit);
    else toRoutes();
  };
}

function varyLine(byOrigin: boolean, byEncoding: boolean): string {
  if (!byEncoding) return byOrigin ? VARY_BY_ORIGIN : '';
  return byOrigin ? VARY_BY_BOTH : VARY_BY_ENCODING;
}

const VARY_BY_ENCODING = lineOf('Vary', 'Accept-Encoding');
const VARY_BY_BOTH = lineOf('Vary', 'Origin, Accept-Encoding');

/** Somebody who signed in, or who sends or asks for more than the plain answer. */
function isSpecial({ headers, httpVersion }: Request): boolean {
  return (
    headers.authorization !== undefined ||
    // An enrolled terminal is counted by itself.
    headers['x-device-token'] !== undefined ||
    headers.host === undefined ||
    httpVersion !== '1.1' ||
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] ?? '0') !== '0' ||
    headers.range !== undefined ||
    headers.expect !== undefined ||
    headers['if-match'] !== undefined
  );
}
