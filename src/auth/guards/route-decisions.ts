import { Injectable, type OnApplicationBootstrap, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS, type AccessDecision } from '../../common/access/access.decorators.js';

export interface RouteDecision {
  readonly method: string;
  /** Path as in the code, such as `/events/:id`. */
  readonly path: string;
  /** Controller and method name. */
  readonly handler: string;
  readonly access: AccessDecision | undefined;
}

/** Checks all routes at start-up: a route without an access decision stops the start. */
@Injectable()
export class RouteDecisions implements OnApplicationBootstrap {
  private readonly scanner = new MetadataScanner();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly reflector: Reflector,
  ) {}

  onApplicationBootstrap(): void {
    const undecided = this.all().filter((route) => route.access === undefined);
    if (undecided.length > 0)
      throw new Error(
        `Routes without @Auth or @Public: ${undecided.map((route) => route.handler).join(', ')}`,
      );
  }

  all(): RouteDecision[] {
    return this.discovery.getControllers().flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, (...args: unknown[]) => unknown>;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        return handler && Reflect.hasMetadata(PATH_METADATA, handler)
          ? this.routesOf(metatype, name, handler)
          : [];
      });
    });
  }

  private routesOf(
    controller: object,
    name: string,
    handler: (...args: unknown[]) => unknown,
  ): RouteDecision[] {
    const paths = (of: object) => [Reflect.getMetadata(PATH_METADATA, of) as string | string[]].flat();
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
    const className = (controller as { name: string }).name;
    const access = this.reflector.getAllAndOverride<AccessDecision | undefined>(ACCESS, [
      handler,
      controller as () => unknown,
    ]);
    return paths(controller).flatMap((base) =>
      paths(handler).map((own) => ({
        method,
        path: `/${[base, own].join('/').split('/').filter(Boolean).join('/')}`,
        handler: `${className}.${name}`,
        access,
      })),
    );
  }
}
