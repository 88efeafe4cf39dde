import { Module } from '@nestjs/common';
import { UnknownRouteController } from './unknown-route.controller.js';

/** Imported last: it takes what the others left. */
@Module({ controllers: [UnknownRouteController] })
export class UnknownRouteModule {}
