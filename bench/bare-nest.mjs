// The minimal program with Nest: the same prepared Express, and one route that returns a greeting, without guards or other
// middleware.
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PreparedExpressAdapter } from '../dist/server/prepared-express.adapter.js';

let hello = { hello: 'world' };
const decorate = (target, decorators) =>
  decorators.reduceRight((of, decorator) => decorator(of) ?? of, target);
class HelloController {
  hello() {
    return hello;
  }
}
Get()(
  HelloController.prototype,
  'hello',
  Object.getOwnPropertyDescriptor(HelloController.prototype, 'hello'),
);
decorate(HelloController, [Controller('hello')]);
class HelloModule {}
decorate(HelloModule, [Module({ controllers: [HelloController] })]);

const app = await NestFactory.create(HelloModule, new PreparedExpressAdapter(), { logger: false });
process.on('message', ({ text }) => {
  hello = JSON.parse(text);
  process.send({ kept: 'hello' });
});
await app.listen(0, '127.0.0.1');
process.send({ url: await app.getUrl() });
