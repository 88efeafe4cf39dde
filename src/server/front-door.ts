import type { INestApplication } from '@nestjs/common';
import type { Response } from 'express';
import { LimitOutsideRoutes } from '../auth/limits/outside-routes.js';
import { describeLimit } from '../auth/limits/rate-limit.guard.js';
import { ALL_SECURITY, lineOf } from '../common/http/answers.js';
import { AnswerAges } from '../common/http/answer-ages.js';
import { formFor, type KeptAnswer, KeptAnswers, matches } from '../common/http/kept-answers.js';
import { type PlainRead, plainRead } from '../common/http/plain-read.js';
import { linesForOrigin, originAllowed, VARY_BY_ORIGIN } from '../common/http/origins.js';
import { REQUEST_ID, requestIdFrom } from '../common/http/request-context.js';
import type { FrontDoor } from './prepared-express.adapter.js';
import { Metrics } from '../common/metrics/metrics.js';
import { AppConfig } from '../config/app-config.js';
import type { RateDecision } from '../redis/counters.js';

/**
 * Answers reads of the public that are kept as bytes, before anything else looks at the request: thousands of phones
 * ask for the same few addresses. It counts them and answers with the headers that the routes would; whatever is
 * special about a request leaves it to them.
 */
export function frontDoor(app: INestApplication): FrontDoor {
  const config = app.get(AppConfig);
  const answers = app.get(KeptAnswers);
  const ages = app.get(AnswerAges);
  const limits = app.get(LimitOutsideRoutes);
  const metrics = config.metricsPort === undefined ? undefined : app.get(Metrics);
  const sharedLines = linesByOrigin(config);

  const send = (response: Response, read: PlainRead, answer: KeptAnswer, limit: RateDecision): void => {
    const began = metrics && performance.now();
    const form = formFor(answer, read.acceptEncoding);
    const isKnown = read.ifNoneMatch !== undefined && matches(read.ifNoneMatch, form.etag);
    const shared = sharedLines(read.origin, answer.isLarge);
    response.head = (isKnown ? form.headIfKnown : form.head).with(shared);
    const age = ages.note(answer.reading);
    response.lines =
      lineOf(REQUEST_ID, requestIdFrom(read.requestId)) +
      (age === undefined ? '' : lineOf('Age', String(age)));
    describeLimit(response, 'default', limit);
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
    const answer = answers.at(url);
    const read = answer && plainRead(request);
    if (!read) {
      toRoutes();
      return;
    }
    const counted = limits.hit(request);
    // What is beyond the limit the routes refuse, and count once more: it is beyond it either way.
    if (!(counted instanceof Promise)) {
      if (counted.allowed) send(response, read, answer, counted);
      else toRoutes();
      return;
    }
    counted
      .then((limit) => {
        const stillGood = answers.at(url);
        if (limit.allowed && stillGood) send(response, read, stillGood, limit);
        else toRoutes();
      })
      .catch(toRoutes);
  };
}

const VARY_BY_ENCODING = lineOf('Vary', 'Accept-Encoding');
const VARY_BY_BOTH = lineOf('Vary', 'Origin, Accept-Encoding');

/** What kept answers have in common, by the origin of whoever asks and by whether the answer comes in several forms. */
function linesByOrigin(config: AppConfig): (origin: string | undefined, isLarge: boolean) => string {
  const linesFor = (origin: string | undefined) => {
    const isAllowed = originAllowed(config, origin);
    const lines = ALL_SECURITY + (isAllowed ? linesForOrigin(origin) : '');
    return {
      ofSmall: lines + (isAllowed ? VARY_BY_ORIGIN : ''),
      ofLarge: lines + (isAllowed ? VARY_BY_BOTH : VARY_BY_ENCODING),
    };
  };
  const known = new Map(
    [undefined, config.ownOrigin, ...config.corsOrigins].map((one) => [one, linesFor(one)]),
  );
  return (origin, isLarge) => {
    const { ofSmall, ofLarge } = known.get(origin) ?? linesFor(origin);
    return isLarge ? ofLarge : ofSmall;
  };
}
