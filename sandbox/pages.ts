import type { Call, Reply } from './http.js';
import type { Sandbox } from './server.js';

export class Pages {
  constructor(private readonly sandbox: Sandbox) {}

  answer(call: Call): Reply {
    return { status: 200, body: { url: this.sandbox.url, path: call.path } };
  }
}
