// A certified OpenID provider (oidc-provider) on this machine, in its own process. It signs in the last person that was posted
// to /whoami, without a page. When it is ready, it prints its address.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { Provider } from 'oidc-provider';

const { CLIENT_ID, CLIENT_SECRET, CALLBACK_URL } = process.env;
let account = { sub: 'nobody' };

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [CALLBACK_URL] }],
  claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'] },
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...account, sub }) }),
  loadExistingGrant: async (context) => {
    const grant = new context.oidc.provider.Grant({
      clientId: context.oidc.client.clientId,
      accountId: context.oidc.session.accountId,
    });
    grant.addOIDCScope('openid email');
    await grant.save();
    return grant;
  },
});
const handle = provider.callback();

server.on('request', (request, response) => {
  if (request.url === '/whoami') {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      account = JSON.parse(body);
      response.end('ok');
    });
  } else if (request.url.startsWith('/interaction/')) {
    const login = { accountId: account.sub, ...(account.amr ? { amr: account.amr } : {}) };
    const result = account.sub ? { login } : { error: 'access_denied' };
    provider
      .interactionFinished(request, response, result, { mergeWithLastSubmission: false })
      .catch((error) => {
        response.statusCode = 500;
        response.end(String(error));
      });
  } else {
    handle(request, response);
  }
});
process.stdout.write(`${issuer}\n`);
