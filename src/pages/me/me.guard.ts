import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError, NotFoundError } from '../../common/errors/domain-errors.js';
import { OwnLinks } from '../../donors/own/own-links.service.js';

/**
 * Without e-mail the donor's page does not exist. Answers must not be stored or indexed. Only forms may change something: the
 * forms of other sites are refused before, but a request without a body is not.
 */
@Injectable()
export class MeGuard implements CanActivate {
  constructor(private readonly links: OwnLinks) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.links.isOn) throw new NotFoundError('ROUTE_NOT_FOUND', 'No route has this path');
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Robots-Tag', 'noindex');
    // With `no-referrer`, a browser would send the origin `null` with the form, and the server would refuse the form.
    response.setHeader('Referrer-Policy', 'same-origin');
    if (request.method === 'POST' && typeof request.is('application/x-www-form-urlencoded') !== 'string')
      throw new DomainError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be a form of this page');
    return true;
  }
}
