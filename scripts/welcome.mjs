// Returns the text that `npm start` prints, and the commands in this text as a script.

export function welcome({ url, sandboxUrl, database, login, demo, script, dataDir }) {
  const lines = [
    '',
    `Start here      ${url}`,
    ...(demo
      ? [
          `Donate page     ${url}/donate/${demo.slug}   (card 4242 4242 4242 4242, any date and code)`,
          `Donation wall   ${url}/wall/${demo.slug}`,
        ]
      : []),
    `Dashboard       ${url}/admin   (sign in with the admin below)`,
    `API             ${url}/docs`,
    `Payment sandbox ${sandboxUrl}`,
    `Database        ${database.embedded ? `embedded, in ${dataDir}` : 'the one in DATABASE_URL'}`,
    '',
    `Admin           ${login.email}`,
    `Password        ${login.password ?? 'set before'}   (a new one: npm run admin:seed)`,
    ...(demo?.pin ? [`Staff PIN       ${demo.pin}, for event ${demo.slug}`] : []),
  ];
  if (demo) {
    lines.push(
      '',
      `A card donation from request to receipt (also: bash ${shellWord(script)}):`,
      '',
      commands({ url, sandboxUrl, demo, login }),
    );
  }
  return [...lines, '', 'Ctrl-C stops everything.'].join('\n');
}

export function tryItScript(context) {
  return `#!/usr/bin/env bash\nset -euo pipefail\ncd "$(mktemp -d)"\n${commands(context)}\n`;
}

function commands({ url, sandboxUrl, demo, login }) {
  const json = `-H 'Content-Type: application/json'`;
  const donation = JSON.stringify({
    amount: 5000,
    currency: 'eur',
    metadata: { eventId: demo.slug, donorName: 'Mary Jackson', donorEmail: 'mary@example.org' },
  });
  const credentials = JSON.stringify({ email: login.email, password: login.password });
  return `field() { node -pe 'JSON.parse(fs.readFileSync(0))["'"$1"'"]'; }
# 1. The donor's checkout asks for a payment intent (amounts are cents).
INTENT=$(curl -fsS ${url}/donations/intent ${json} -d '${donation}'); echo "$INTENT"
# 2. The card is paid in the sandbox, which posts a signed webhook.
curl -fsS -X POST ${sandboxUrl}/sandbox/stripe/pay/$(echo "$INTENT" | field clientSecret) >/dev/null; sleep 1
# 3. The total has changed.
curl -fsS ${url}/events/public; echo
# 4. The receipt.
TOKEN=$(curl -fsS ${url}/auth/login ${json} -d ${quoted(credentials)} | field accessToken)
curl -fsS --retry 5 --retry-all-errors -o receipt.pdf ${url}/export/receipts/$(echo "$INTENT" | field donationId) -H "Authorization: Bearer $TOKEN"; ls -l receipt.pdf`;
}

/** Quotes a text for a POSIX shell. */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes a path only if necessary. */
function shellWord(path) {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : quoted(path);
}
