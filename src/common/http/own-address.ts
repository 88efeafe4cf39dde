import type { Express, Request } from 'express';

const SETTING = 'own address';

/** @param publicUrl the configured address; without one, pages go by the address that they were asked under */
export function setOwnAddress(express: Express, publicUrl: string | undefined): void {
  express.set(SETTING, publicUrl);
}

/** Where this browser reaches the service, without a trailing slash. */
export function ownAddress(request: Request): string {
  const configured: unknown = request.app.get(SETTING);
  return typeof configured === 'string' ? configured : `${request.protocol}://${request.host}`;
}
