// Creates a demo event with the service's own API, as an admin would. Does not access the tables directly.
const SLUG = 'demo-gala';

/**
 * Creates the demo event once; does nothing if any event exists.
 *
 * @param {string} url address of the service
 * @param {string} token an admin's access token
 * @returns {Promise<{ eventId: string, slug: string, pin: string | null } | undefined>} the demo event, if it exists
 */
export async function ensureDemoEvent(url, token) {
  const admin = client(url, token);
  const events = await admin('GET', '/events');
  const found = events.find(({ slug }) => slug === SLUG);
  if (found) return { eventId: found.id, slug: SLUG, pin: await firstPin(admin, found.id) };
  if (events.length > 0) return undefined;

  const event = await admin('POST', '/events', {
    name: 'Demo Gala',
    slug: SLUG,
    description: 'An evening for trying things out.',
    goalAmount: 1_000_000,
  });
  await admin('PATCH', `/events/${event.id}/settings`, {
    locales: { default: 'en', supported: ['en', 'de', 'es', 'fr', 'it', 'nl'] },
    donation: { receiptDownload: true },
  });
  const member = await admin('POST', '/staff', { name: 'Sam Collector' });
  await admin('POST', `/events/${event.id}/staff/${member.id}`);
  const { accessToken } = await admin('POST', '/auth/staff/login', { code: member.code, eventId: event.id });
  const staff = client(url, accessToken);
  for (const donation of DONATIONS) await staff('POST', '/donations', { eventId: event.id, ...donation });
  return { eventId: event.id, slug: SLUG, pin: member.code };
}

const DONATIONS = [
  {
    amount: 5_000,
    type: 'cash',
    donorName: 'Ada Lovelace',
    donorEmail: 'ada@example.org',
    message: 'For the new roof!',
  },
  { amount: 25_000, type: 'check', donorName: 'Grace Hopper', donorEmail: 'grace@example.org' },
  { amount: 1_500, type: 'cash', isAnonymous: true, donorName: 'A neighbour' },
  { amount: 12_000, type: 'card_terminal', donorName: 'Émilie du Châtelet', message: 'Bon courage à tous' },
  { amount: 50_000, type: 'pledge', donorName: 'Leonhard Euler', donorEmail: 'euler@example.org' },
];

async function firstPin(admin, eventId) {
  const [member] = await admin('GET', `/events/${eventId}/staff`);
  if (!member) return null;
  return (await admin('GET', `/staff/${member.id}`)).code;
}

function client(url, token) {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.message}`);
    return answer;
  };
}
