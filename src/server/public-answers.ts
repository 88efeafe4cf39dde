import type { INestApplication } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import { LimitOutsideRoutes } from '../auth/limits/outside-routes.js';
import { hasBody } from '../common/http/json-body.js';
import { AnswerAges, formFor, type KeptAnswer, KeptAnswers } from '../common/http/kept-answers.js';

/**
 * Sends cached answers of public reads, because thousands of phones request the same few addresses. Signed-in callers and
 * enrolled terminals do not get cached answers here, because the guards of the routes count them with separate limits.
 */
export function sendKeptAnswers(app: INestApplication): RequestHandler {
  const answers = app.get(KeptAnswers);
  const ages = app.get(AnswerAges);
  const limits = app.get(LimitOutsideRoutes);

  const send = (request: Request, response: Response, answer: KeptAnswer): void => {
    const { body, etag, encoding } = formFor(answer, request);
    response.locals.route = answer.route;
    if (answer.isLarge) response.vary('Accept-Encoding');
    ages.describe(response, answer.reading);
    response.setHeader('ETag', etag);
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    if (encoding) response.setHeader('Content-Encoding', encoding);
    response.end(body);
  };

  return (request, response, next) => {
    const { authorization, 'x-device-token': device } = request.headers;
    const isPublic = request.method === 'GET' && authorization === undefined && device === undefined;
    // A request with a body is not answered here. The route refuses an unexpected body.
    const answer = isPublic && !hasBody(request) ? answers.at(request.url) : undefined;
    if (!answer) {
      next();
      return;
    }
    limits
      .count(request, response)
      .then(() => {
        send(request, response, answer);
      })
      .catch(next);
  };
}
