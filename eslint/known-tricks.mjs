/**
 * Exceptions from the library rules, by file and rule, each with the member that the file uses. An outdated exception fails
 * the check.
 */
export const KNOWN = {
  'schema-engine.mjs': {
    'no-private-members': 'start of the WebAssembly module, which Node 20 cannot import',
  },
  'route-decisions.ts': { 'no-private-members': "Nest's names of route metadata" },
  'engine-requests.ts': { 'no-patching': 'writeHead and end of a refusal, because Engine.IO sets its body' },
  'one-write-path.e2e.ts': { 'no-private-members': 'prototype of a pg client' },
  'example-client.e2e.ts': { 'no-private-members': 'emitEvent of socket.io-client' },
  'slow-sockets.long.e2e.ts': { 'no-private-members': 'ws of a transport of engine.io-client, to pause it' },
};
